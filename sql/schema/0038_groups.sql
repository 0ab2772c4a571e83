-- Groups of homes (a building, a feeder, a district), and keys that reach no further than one of them. Processes of the version before do not know
-- that limit: such keys are made when all of them are replaced.

CREATE TABLE home_groups (
  group_id        text COLLATE "C" PRIMARY KEY,
  user_id         text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  name            text NOT NULL,
  kind            text,
  parent_group_id text COLLATE "C" REFERENCES home_groups ON DELETE CASCADE,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX home_groups_user ON home_groups (user_id, group_id);
CREATE INDEX home_groups_parent ON home_groups (parent_group_id) WHERE parent_group_id IS NOT NULL;
COMMENT ON TABLE home_groups IS 'Groups of homes, as trees. All groups of a tree have one owner.';
COMMENT ON COLUMN home_groups.user_id IS 'Its owner: a utility or an administrator.';
COMMENT ON COLUMN home_groups.kind IS 'What its owner calls such groups: building, feeder. Null: nothing.';
COMMENT ON COLUMN home_groups.parent_group_id IS 'The group that it is a part of: its homes are in that one, too. Null: none.';

CREATE TABLE group_members (
  group_id text COLLATE "C" NOT NULL REFERENCES home_groups ON DELETE CASCADE,
  user_id  text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_user ON group_members (user_id);
COMMENT ON TABLE group_members IS 'Homes of a group, beside those of its subgroups. One that the owner of the group no longer reaches does not count.';

ALTER TABLE api_keys ADD COLUMN group_id text COLLATE "C" REFERENCES home_groups ON DELETE CASCADE;
CREATE INDEX api_keys_group ON api_keys (group_id) WHERE group_id IS NOT NULL;
COMMENT ON COLUMN api_keys.group_id IS 'The key reads only the homes of this group and of those below it; it ends with the group. Null: all that its owner reaches.';
