-- What speaks below a gateway and nobody understands: owners see that a device is not read, and of what its messages are.

CREATE TABLE unread_messages (
  gateway_id          text COLLATE "C" NOT NULL REFERENCES gateways ON DELETE CASCADE,
  shape               text COLLATE "C" NOT NULL,
  messages            bigint NOT NULL,
  first_seen_at       timestamptz NOT NULL,
  last_seen_at        timestamptz NOT NULL,
  example_topic       text,
  example_payload     bytea,
  example_bytes       integer,
  example_received_at timestamptz,
  PRIMARY KEY (gateway_id, shape)
);
CREATE INDEX unread_messages_example ON unread_messages (example_received_at) WHERE example_received_at IS NOT NULL;
COMMENT ON TABLE unread_messages IS 'Messages through a gateway that no family of devices knows, counted by the shape of their topic; at most 200 shapes of a gateway, removed 30 days after the last message.';
COMMENT ON COLUMN unread_messages.shape IS 'Topic below the gateway''s prefix, where + stands for what tells one device from others; # alone: of further shapes.';
COMMENT ON COLUMN unread_messages.messages IS 'How many. A process that ends loses those of its last seconds.';
COMMENT ON COLUMN unread_messages.example_topic IS 'One of them, kept for 24 h; null: none is kept, as of what receivers hear by radio.';
COMMENT ON COLUMN unread_messages.example_payload IS 'Its first 4 KiB.';
COMMENT ON COLUMN unread_messages.example_bytes IS 'How long it was.';
