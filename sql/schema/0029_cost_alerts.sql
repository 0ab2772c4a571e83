-- Alerts on what a day or a month costs. Money is decimals as text: a double would change them, and the driver makes one of numeric.

ALTER TABLE alerts ADD COLUMN threshold text;
COMMENT ON COLUMN alerts.threshold IS 'For daily_cost and monthly_cost: a decimal, in the currency of the tariff that holds; above it the alert fires.';
COMMENT ON COLUMN alerts.threshold_milliwatt_hours IS 'For alerts on usage: in mWh; above it the alert fires.';

ALTER TABLE alerts DROP CONSTRAINT alerts_type_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_type_check
  CHECK (type IN ('peak_usage', 'daily_usage', 'monthly_usage', 'daily_cost', 'monthly_cost', 'no_data'));
ALTER TABLE alerts ADD CONSTRAINT alerts_threshold_check CHECK (threshold ~ '^\d{1,9}(\.\d{1,9})?$' AND threshold ~ '[1-9]');
ALTER TABLE alerts DROP CONSTRAINT alerts_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_threshold_of_type CHECK (
  (type IN ('peak_usage', 'daily_usage', 'monthly_usage')) = (threshold_milliwatt_hours IS NOT NULL)
  AND (type IN ('daily_cost', 'monthly_cost')) = (threshold IS NOT NULL)
  AND (type = 'no_data') = (threshold_hours IS NOT NULL));

ALTER TABLE alert_firings ADD COLUMN total_cost text, ADD COLUMN currency text;
ALTER TABLE alert_firings ADD CONSTRAINT alert_firings_cost CHECK ((total_cost IS NULL) = (currency IS NULL));
COMMENT ON COLUMN alert_firings.total_milliwatt_hours IS 'In mWh, as it was when the alert fired. Null but for alerts on usage.';
COMMENT ON COLUMN alert_firings.total_cost IS 'For alerts on costs: the rounded total in the currency beside it, as it was when the alert fired.';
COMMENT ON COLUMN alert_firings.currency IS 'For alerts on costs: ISO 4217.';

ALTER TABLE usage_changes ADD COLUMN costs_only boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN usage_changes.costs_only IS 'No hour changed: costs did, by a tariff or a price, or they are still to be evaluated. The hour is then just that of the note.';
