-- Other people who may see a home or manage it: invitations, memberships, and the keys and webhooks that members create for the home.
CREATE TABLE home_members (
  member_id      text COLLATE "C" PRIMARY KEY,
  user_id        text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  email          text NOT NULL,
  access         text NOT NULL CHECK (access IN ('read', 'manage')),
  created_at     timestamptz NOT NULL,
  member_user_id text COLLATE "C" REFERENCES users ON DELETE CASCADE,
  accepted_at    timestamptz,
  ended_at       timestamptz,
  CHECK ((member_user_id IS NULL) = (accepted_at IS NULL)),
  CHECK (member_user_id <> user_id)
);
CREATE INDEX home_members_home ON home_members (user_id);
CREATE UNIQUE INDEX home_members_once ON home_members (member_user_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX home_members_member ON home_members (member_user_id);
CREATE INDEX home_members_ended ON home_members (ended_at) WHERE ended_at IS NOT NULL;
COMMENT ON TABLE home_members IS 'Invitations to a home, for seven days, and its members. An ended row is deleted after 30 days: until then mails about its end find both addresses.';
COMMENT ON COLUMN home_members.user_id IS 'The account of the home, whose owner invites.';
COMMENT ON COLUMN home_members.email IS 'The address that the invitation was mailed to.';
COMMENT ON COLUMN home_members.access IS 'read: everything but the export. manage: also changes, but no members, keys, e-mail address or deletion.';
COMMENT ON COLUMN home_members.member_user_id IS 'The account that accepted. Null: nobody has yet.';

ALTER TABLE api_keys ADD COLUMN member_id text COLLATE "C" REFERENCES home_members (member_id) ON DELETE CASCADE;
CREATE INDEX api_keys_member ON api_keys (member_id) WHERE member_id IS NOT NULL;
COMMENT ON COLUMN api_keys.member_id IS 'The key reaches the home of this membership alone, and ends with the membership. Null: it reaches what its account does.';

ALTER TABLE webhooks ADD COLUMN member_id text COLLATE "C" REFERENCES home_members (member_id) ON DELETE CASCADE;
CREATE INDEX webhooks_member ON webhooks (member_id) WHERE member_id IS NOT NULL;
COMMENT ON COLUMN webhooks.member_id IS 'The membership by which somebody else set the address of the subscription, which ends with it. Null: the account did.';
