-- Nothing refreshes aggregates here.
CREATE OR REPLACE FUNCTION hold_refresh() RETURNS void LANGUAGE sql AS $$ SELECT $$;
