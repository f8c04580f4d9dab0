-- record adds outcomes to their buckets, and begins an outage when the window holds too many failures.
--
-- KEYS[5]: last report of the process that was counted
-- ARGV[6…]: percent, window, width of a bucket, least failures; then for each report: its number, age, calls, failures

local percent, window, width, least = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

if off or s.outage then
	return view()
end

local held = {}
local buckets = redis.call('HGETALL', counts)
for i = 1, #buckets, 2 do
	held[buckets[i]] = tonumber(buckets[i + 1])
end

-- A report that was sent again because its answer got lost is counted once.
local last = tonumber(redis.call('GET', KEYS[5]) or '0')
local changed = {}
for i = 10, #ARGV, 4 do
	local report, at = tonumber(ARGV[i]), now - tonumber(ARGV[i + 1])
	if report > last then
		last = report
		if at > number('ended') and at > now - window then
			local bucket = whole(at - at % width)
			for field, n in pairs({[bucket .. ':calls'] = ARGV[i + 2], [bucket .. ':failures'] = ARGV[i + 3]}) do
				held[field] = (held[field] or 0) + tonumber(n)
				changed[field] = true
			end
		end
	end
end
redis.call('SET', KEYS[5], last, 'PX', whole(window))
for field in pairs(changed) do
	redis.call('HSET', counts, field, string.format('%.17g', held[field]))
end
redis.call('PEXPIRE', counts, whole(window + width))

local calls, failures = 0, 0
for field, n in pairs(held) do
	local start, what = string.match(field, '^(%d+):(%a+)$')
	if tonumber(start) <= now - window then
		redis.call('HDEL', counts, field)
	elseif what == 'calls' then
		calls = calls + n
	else
		failures = failures + n
	end
end

if failures >= least and failures * 100 >= percent * calls then
	begin(string.format('%.4g %% of %.0f calls of all processes failed in %gs, %g %% and %d failures are enough',
		failures * 100 / calls, calls, window / 1000, percent, least))
end
return view()
