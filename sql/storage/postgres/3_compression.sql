-- This tier has no columnar compression.
CREATE OR REPLACE FUNCTION history_to_compress(before_at timestamptz) RETURNS text[] LANGUAGE sql AS $$ SELECT '{}'::text[] $$;
CREATE OR REPLACE FUNCTION compress_piece(piece text) RETURNS void LANGUAGE sql AS $$ SELECT $$;
