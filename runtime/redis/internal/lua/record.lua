-- record adds outcomes to their buckets, and begins an outage when the window holds too many failures.
--
-- KEYS[5]: last report of the process that was counted
-- ARGV[6…]: percent, window, width of a bucket, least failures; then for each report: its number, age, calls, failures

local percent, window, width, least = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

if off or s.outage then
	return view()
end

-- A bucket is a field: its begin, with the calls and failures in it. What is none goes, as one that left the window does.
local calls, failures = {}, {}
local buckets = redis.call('HGETALL', counts)
for i = 1, #buckets, 2 do
	local bucket = buckets[i]
	local called, failed = string.match(buckets[i + 1], '^(%S+) (%S+)$')
	called, failed = tonumber(called), tonumber(failed)
	if called and failed and (tonumber(bucket) or 0) > now - window then
		calls[bucket], failures[bucket] = called, failed
	else
		redis.call('HDEL', counts, bucket)
	end
end

-- A report that was sent again because its answer got lost is counted once.
local last = tonumber(redis.call('GET', KEYS[5])) or 0
local changed = {}
for i = 10, #ARGV, 4 do
	local report, at = tonumber(ARGV[i]), now - tonumber(ARGV[i + 1])
	if report > last then
		last = report
		local bucket = at - at % width
		if at > number('ended') and bucket > now - window then
			bucket = whole(bucket)
			calls[bucket] = (calls[bucket] or 0) + tonumber(ARGV[i + 2])
			failures[bucket] = (failures[bucket] or 0) + tonumber(ARGV[i + 3])
			changed[bucket] = true
		end
	end
end
redis.call('SET', KEYS[5], last, 'PX', whole(window))
for bucket in pairs(changed) do
	redis.call('HSET', counts, bucket, string.format('%.15g %.15g', calls[bucket], failures[bucket]))
end
if next(changed) then
	redis.call('PEXPIRE', counts, whole(window + width))
end

local called, failed = 0, 0
for bucket, n in pairs(calls) do
	called = called + n
	failed = failed + failures[bucket]
end

local function count(n, noun)
	return string.format(n == 1 and '%.0f %s' or '%.0f %ss', n, noun)
end

if failed >= least and failed * 100 >= percent * called then
	begin(string.format('%.4g %% of %s failed in %gs; enough are %g %% and %s',
		failed * 100 / called, count(called, 'call'), window / 1000, percent, count(least, 'failure')))
end
return view()
