-- The same decision as sql/interface/1_take_requests.sql, for one account or address, in one step of Redis.
-- KEYS[1]: its counters. ARGV: how many requests, now (Unix ms), limit of a minute, limit of a day, 1 for an address.
-- Answers: granted, left of the minute, ms until it is over, left of the day, ms of suspension.
local wanted, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local minute_limit, day_limit, is_address = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local known = redis.call('HMGET', KEYS[1], 'minute_from', 'minute_count', 'day', 'day_count', 'denied_from',
  'denied_count', 'suspended_until')
local minute_from, minute_count = tonumber(known[1]) or now, tonumber(known[2]) or 0
local today = math.floor(now / 86400000)
local day_count = tonumber(known[3]) == today and tonumber(known[4]) or 0
local denied_from, denied_count = tonumber(known[5]) or now, tonumber(known[6]) or 0
local suspended_until = tonumber(known[7]) or 0

if now >= minute_from + 60000 or now < minute_from then
  minute_from = now
  minute_count = 0
end
local granted = 0
if suspended_until <= now then
  granted = math.max(0, math.min(wanted, minute_limit - minute_count, day_limit - day_count))
  if granted < wanted and not is_address then
    -- A thousand refusals within ten minutes suspend an account for a quarter of an hour.
    if now >= denied_from + 600000 or denied_count == 0 then
      denied_from = now
      denied_count = 0
    end
    denied_count = denied_count + wanted - granted
    if denied_count >= 1000 then
      suspended_until = now + 900000
      denied_count = 0
    end
  end
end
minute_count = minute_count + granted
day_count = day_count + granted
local function text(number) return string.format('%.0f', number) end
redis.call('HSET', KEYS[1], 'minute_from', text(minute_from), 'minute_count', text(minute_count), 'day', text(today),
  'day_count', text(day_count), 'denied_from', text(denied_from), 'denied_count', text(denied_count),
  'suspended_until', text(suspended_until))
-- Longer than any window: what nobody uses goes by itself.
redis.call('PEXPIRE', KEYS[1], 172800000)
return {granted, minute_limit - minute_count, minute_from + 60000 - now, day_limit - day_count,
  math.max(0, suspended_until - now)}
