-- What every script begins with. It reads the state of one breaker, and has what changes it.
--
-- KEYS: state, counts, history, manual
-- ARGV: channel, breaker, process, last change that the process knows, milliseconds before a trial

local state, counts, history, manual = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local channel, breaker, process, known, patience = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local kept, week = 100, 7 * 24 * 3600

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local s = {}
local fields = redis.call('HGETALL', state)
for i = 1, #fields, 2 do
	s[fields[i]] = fields[i + 1]
end

local function whole(n)
	return string.format('%.0f', n)
end

local function number(field)
	return tonumber(s[field]) or 0
end

local function set(field, value)
	s[field] = value
	if value then
		redis.call('HSET', state, field, value)
	else
		redis.call('HDEL', state, field)
	end
end

-- change numbers, keeps and announces what happened. Numbers are moments, so that they grow even if everything was lost.
local function change(what, reason)
	local n = whole(math.max(now, number('change') + 1))
	set('change', n)
	redis.call('LPUSH', history, table.concat({n, what, process, reason}, ' '))
	redis.call('LTRIM', history, 0, kept - 1)
	redis.call('EXPIRE', history, week)
	redis.call('EXPIRE', state, week)
	redis.call('PUBLISH', channel, breaker .. ' ' .. n)
	return n
end

local function begin(reason)
	set('reason', reason)
	set('retry', whole(now + patience))
	set('outage', change('BEGAN', reason))
end

-- finish ends the outage. What was counted before is not counted again.
local function finish(reason)
	for _, field in ipairs({'outage', 'forced', 'retry', 'holder', 'until'}) do
		set(field, nil)
	end
	set('reason', reason)
	set('ended', whole(now))
	redis.call('DEL', counts)
	change('ENDED', reason)
end

-- What an operator wrote: OPEN and a reason forces an outage, OFF ends all sharing of the breaker.
local hand = redis.call('GET', manual) or ''
local off = hand == 'OFF'
local opened = string.sub(hand, 1, 4) == 'OPEN'

if opened and not s.outage then
	begin('by hand:' .. string.sub(hand, 5))
	set('forced', '1')
elseif s.forced and not opened then
	finish('no longer forced by hand')
end

-- view is what every script answers: the state, and the changes that are news to the process.
local function view()
	local v = {
		whole(now), s.change or '0', s.outage or '0', s.retry or '0', s.holder or '', s['until'] or '0',
		s.forced or '0', off and '1' or '0', s.reason or '',
	}
	if number('change') > known then
		for _, entry in ipairs(redis.call('LRANGE', history, 0, -1)) do
			if tonumber(string.match(entry, '^%d+')) <= known then
				break
			end
			table.insert(v, entry)
		end
	end
	return v
end
