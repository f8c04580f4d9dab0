-- What every script begins with. It reads the state of one breaker, and has what changes it.
--
-- KEYS: state, counts, history, manual
-- ARGV: channel, breaker, process, last change that the process was told, milliseconds before a trial

local state, counts, history, manual = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local channel, breaker, process, told, patience = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local kept, week = 100, 7 * 24 * 3600

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local s = {}
local fields = redis.call('HGETALL', state)
for i = 1, #fields, 2 do
	s[fields[i]] = fields[i + 1]
end
if not tonumber(s.outage) then
	s.outage, s.forced = nil, nil
end

local function whole(n)
	return string.format('%.0f', n)
end

local function number(field)
	return tonumber(s[field]) or 0
end

-- attempt is for what a change can do without. What goes wrong shows in the view, and takes nothing back.
local trouble = ''
local function attempt(...)
	local answer = redis.pcall(...)
	if type(answer) == 'table' and answer.err then
		trouble = answer.err
		return {}
	end
	return answer
end

-- write changes fields of the state. One that is false goes.
local function write(changed)
	local set, gone = {}, {}
	for field, value in pairs(changed) do
		s[field] = value or nil
		table.insert(value and set or gone, field)
		if value then
			table.insert(set, value)
		end
	end
	if #gone > 0 then
		redis.call('HDEL', state, unpack(gone))
	end
	if #set > 0 then
		redis.call('HSET', state, unpack(set))
	end
	attempt('EXPIRE', state, week)
end

-- change makes, numbers, keeps and announces what happened; the state is first, since a script that fails undoes nothing.
-- Numbers are moments, so that they grow even if everything was lost.
local function change(what, reason, changed)
	local n = whole(math.max(now, number('change') + 1))
	changed.change = n
	if what == 'BEGAN' then
		changed.outage = n
	end
	write(changed)
	attempt('LPUSH', history, table.concat({n, what, process, reason}, ' '))
	attempt('LTRIM', history, 0, kept - 1)
	attempt('EXPIRE', history, week)
	attempt('PUBLISH', channel, breaker .. ' ' .. n)
end

local function begin(reason, forced)
	change('BEGAN', reason, {reason = reason, retry = whole(now + patience), forced = forced})
end

-- finish ends the outage. What was counted before is not counted again.
local function finish(reason)
	change('ENDED', reason, {
		outage = false, forced = false, retry = false, holder = false, ['until'] = false, reason = reason, ended = whole(now),
	})
	local buckets, names = attempt('HGETALL', counts), {}
	for i = 1, #buckets, 2 do
		table.insert(names, buckets[i])
	end
	if #names > 0 then
		redis.call('HDEL', counts, unpack(names)) -- as reports do, so that it needs no right of its own
	end
end

-- The history outlives a state that was deleted: numbers go on, and an outage that lasted ends. A server that lost both
-- ends nothing.
local newest = not s.change and attempt('LRANGE', history, 0, 0)[1] or ''
s.change = s.change or string.match(newest, '^%d+')

-- What a script changes itself is news to the process, even if it knows higher numbers, of a server that is gone.
local since = math.min(told, number('change'))

if string.match(newest, '^%d+ (%S+)') and not string.match(newest, '^%d+ ENDED ') then
	finish('its state was deleted by hand')
end

-- What an operator wrote: OPEN and a reason forces an outage, OFF ends all sharing of the breaker.
local word, why = string.match(redis.call('GET', manual) or '', '^%s*(%S+)%s*(.-)%s*$')
word = string.upper(word or '')
local off, opened = word == 'OFF', word == 'OPEN'
why = 'by hand' .. (why and why ~= '' and ': ' .. why or '')

if s.forced and not opened then
	finish('no longer forced by hand')
elseif opened and s.outage and not (s.forced and s.reason == why) then
	finish('an outage by hand takes its place')
end
if opened and not s.outage then
	begin(why, '1')
end

-- view is what every script answers: the state, and the changes that are news to the process.
local function view()
	local v = {
		whole(now), whole(number('change')), s.outage or '0', whole(number('retry')), s.holder or '', whole(number('until')),
		s.forced or '0', off and '1' or '0', s.reason or '', '',
	}
	if number('change') > since then
		for _, entry in ipairs(attempt('LRANGE', history, 0, -1)) do
			local n = tonumber(string.match(entry, '^%d+'))
			if n and n <= since then
				break
			end
			table.insert(v, entry)
		end
	end
	v[10] = trouble
	return v
end
