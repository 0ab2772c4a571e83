-- Does nothing on this tier, which has no refresh of aggregates.
CREATE OR REPLACE FUNCTION hold_refresh() RETURNS void LANGUAGE sql AS $$ SELECT $$;
