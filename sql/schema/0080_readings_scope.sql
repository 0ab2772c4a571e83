-- Single readings are read with a scope of their own. The export of an account contains them, and needs that scope, too: keys that could
-- fetch the export still can. Keys that are limited to a group cannot read single readings, and do not get the scope.
UPDATE api_keys SET scopes = scopes || '{readings:read}'
WHERE group_id IS NULL AND NOT scopes @> '{readings:read}'
  AND scopes @> '{insights:read,alerts:read,users:read,devices:read,webhooks:read,tariffs:read}';
