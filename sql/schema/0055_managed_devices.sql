-- Who manages a device: its owner's account, or whoever paired it for that account. A homeowner changes nothing of the latter that a bill rests on.
-- Processes of the version before know nothing of it: what they pair while both run is the utility's, and can be handed over (docs/onboarding.md).
ALTER TABLE devices ADD COLUMN managed_by text NOT NULL DEFAULT 'utility' CHECK (managed_by IN ('owner', 'utility'));
COMMENT ON COLUMN devices.managed_by IS 'Whose its edits, quantities, placement, limits and certificate are: the owner''s, who paired it, or the utility''s that enrolled the owner, if somebody else paired it for the owner or a meter of a batch claimed it.';

-- Devices from before: the owner's, if the owner paired it (audit log) or no utility enrolled the account. Claimed devices, and in enrolled homes those
-- that somebody else paired or of which nobody knows any more, are the utility's: a refusal is seen, a lower bill is not.
WITH acts AS (
  SELECT a.target, bool_or(a.action = 'device.claimed') AS was_claimed,
    bool_or(a.action = 'device.paired' AND a.actor_user_id = d.user_id) AS by_owner
  FROM audit_log a JOIN devices d ON d.device_id = a.target WHERE a.action IN ('device.paired', 'device.claimed') GROUP BY 1
)
UPDATE devices d SET managed_by = 'owner'
FROM devices o JOIN users u USING (user_id) LEFT JOIN acts ON acts.target = o.device_id
WHERE o.device_id = d.device_id AND acts.was_claimed IS NOT TRUE
  AND NOT EXISTS (SELECT FROM device_claims c WHERE c.device_id = o.device_id)
  AND (u.role <> 'homeowner' OR acts.by_owner OR u.enrolled_by IS NULL);
