-- exchange takes in what one process, or a tool, says of some breakers, and answers how they are in all processes.
-- For each breaker it is rule.Step of the Go code, step by step; tests hold the two together.
--
-- KEYS: alive, changes, then for each breaker: state, records, history
-- ARGV: channel, process, how long it is alive (0: it goes), since when changes are news, then for each breaker `width` inputs

local channel, process, ttl, since = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local width, head = 8, 4
local horizon, whole, first, kept, week = 3600000, 1000, 100, 100, 7 * 24 * 3600000
local largest = 50000 -- records that are read at once; more are none of ours

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local floor, min, max, format, match, tonumber = math.floor, math.min, math.max, string.format, string.match, tonumber

local function text(n)
	return format('%.0f', n)
end

-- trouble is what had to be dropped, or was refused, of the breaker at hand.
local trouble, state

local function complain(what)
	trouble = trouble == '' and what or trouble .. ', ' .. what
end

-- attempt is for what a step can do without. What goes wrong is told, and takes nothing back.
local function attempt(...)
	local answer = redis.pcall(...)
	if type(answer) == 'table' and answer.err then
		complain(answer.err)
		return {err = answer.err}
	end
	return type(answer) == 'table' and answer or {}
end

-- sound runs a command on a key. What another type has stored there is dropped.
local function sound(command, key, ...)
	local answer = redis.pcall(command, key, ...)
	if type(answer) == 'table' and answer.err then
		if not string.find(answer.err, 'WRONGTYPE', 1, true) then
			error(answer.err, 0)
		end
		redis.call('DEL', key)
		complain('key ' .. key .. ' was of another type')
		return redis.call(command, key, ...)
	end
	return answer
end

-- number reads a whole number from 0 to most; nil if it is none.
local function number(n, most)
	n = tonumber(n)
	if n and n >= 0 and n <= most and floor(n) == n then
		return n
	end
end

local furthest = now + horizon

-- cut is the number, or the most that it can be.
local cut

-- dirty says that the state is to be written.
local dirty

-- moment is a number that the clock can have written.
local function moment(field, value)
	if not value then
		return 0
	end
	local n = number(value, furthest)
	if not n then
		dirty = true
		complain('field ' .. field .. ' of key ' .. state .. ' was ' .. string.sub(value, 1, 40))
	end
	return n or 0
end

function cut(n, most)
	if n > most then
		dirty = true
		return most
	end
	return n
end

-- Settings of the rule, by their texts.
local known = {}
local function settings(s)
	if known[s] == nil then
		local v, sane = {}, true
		for word in string.gmatch(s, '%S+') do
			local n = tonumber(word)
			sane = sane and n and n >= 0 and n <= 4e10
			v[#v + 1] = n
		end
		known[s] = sane and #v == 10 and {
			threshold = v[1], errors = v[2], window = v[3], votes = v[4], share = v[5], retry = v[6], trial = v[7], ramp = v[8], good = v[9], of = v[10],
		} or false
	end
	return known[s] or nil
end

local living
local function alive()
	if not living then
		living = {}
		sound('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
		for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf')) do
			living[name] = true
		end
	end
	return living
end

local function shareOf(since, interval, top)
	local share = first
	if top == 0 then
		top = whole
	end
	while since >= interval and share < whole do
		if share < top then
			share = min(2 * share, top)
		else
			share = floor(share * 11 / 10)
		end
		since = since - interval
	end
	return min(share, whole)
end

local fields = {'change', 'outage', 'ended', 'retry', 'reason', 'trials', 'ramp', 'stir', 'judged', 'rules', 'hand'}

local s, r, input, own, name, records, history, events, push, judged

local function read()
	local v = sound('HMGET', state, unpack(fields))
	s = {was = v, permits = {}, out = 0}
	s.rules = v[10] or ''
	local _, _, front = string.find(s.rules, '^%d+:([^;]+)')
	own = input.rule
	r = front and settings(front)
	if not r then
		if s.rules ~= '' then
			dirty = true
			complain('field rules of key ' .. state .. ' was ' .. string.sub(s.rules, 1, 40))
			s.rules = ''
		end
		r = settings(own)
	end
	if not r then
		error('the settings of the rule are none: ' .. own, 0)
	end
	s.change, s.outage, s.ended = moment('change', v[1]), moment('outage', v[2]), moment('ended', v[3])
	s.retry, s.reason = cut(moment('retry', v[4]), now + r.retry), v[5] or ''
	s.given, s.good, s.bad, s.lost = 0, 0, 0, 0
	if v[6] then
		local g, a, b, l, permits = match(v[6], '^(%d+) (%d+) (%d+) (%d+) ?(.*)$')
		if g then
			s.given, s.good, s.bad, s.lost = tonumber(g), tonumber(a), tonumber(b), tonumber(l)
			for who, id, till in string.gmatch(permits, '(%S+) (%d+) (%d+);') do
				s.permits[who] = {tonumber(id), cut(tonumber(till), now + r.trial)}
				s.out = s.out + 1
			end
		else
			dirty = true
			complain('field trials of key ' .. state .. ' was ' .. string.sub(v[6], 1, 40))
		end
	end
	s.rampAt, s.top, s.stir, s.stirred, s.judged = 0, 0, 0, 0, 0
	if v[7] then
		local at, top = match(v[7], '^(%d+) (%d+)$')
		s.rampAt, s.top = cut(moment('ramp', at or v[7]), now), cut(tonumber(top) or 0, whole)
	end
	if v[8] then
		local from, last = match(v[8], '^(%d+) (%d+)$')
		s.stir, s.stirred = cut(moment('stir', from or v[8]), now), cut(moment('stir', last), now)
	end
	s.members, s.witnesses, s.votes, s.calls, s.failures = 0, 0, 0, 0, 0
	if v[9] then
		local at, m, w, o, c, f = match(v[9], '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
		s.judged = moment('judged', at or v[9])
		if s.judged > now then
			s.judged, dirty = 0, true
		elseif m then
			s.members, s.witnesses, s.votes, s.calls, s.failures = tonumber(m), tonumber(w), tonumber(o), tonumber(c), tonumber(f)
		end
	end
	s.word, s.handN, s.handEnd, s.by = '', 0, 0, ''
	if v[11] then
		local word, n, till, by = match(v[11], '^(%u*) (%d+) (%d+) (.*)$')
		s.handN = moment('hand', n or v[11])
		if s.handN > 0 and (word == '' or word == 'OPEN' or word == 'OFF') then
			s.word, s.handEnd, s.by = word, tonumber(till), by
		end
	end
end

-- write stores the fields that differ from those read.
local function write()
	local v = {
		s.change > 0 and text(s.change), s.outage > 0 and text(s.outage), s.ended > 0 and text(s.ended), s.retry > 0 and text(s.retry),
		s.reason ~= '' and s.reason, false, (s.rampAt > 0 or s.top > 0) and text(s.rampAt) .. ' ' .. text(s.top),
		s.stirred > 0 and text(s.stir) .. ' ' .. text(s.stirred),
		s.judged > 0 and format('%.0f %.0f %.0f %.0f %.0f %.0f', s.judged, s.members, s.witnesses, s.votes, s.calls, s.failures),
		s.rules ~= '' and s.rules,
		s.handN > 0 and format('%s %.0f %.0f %s', s.word, s.handN, s.handEnd, s.by),
	}
	if s.given > 0 then
		local parts = {format('%.0f %.0f %.0f %.0f ', s.given, s.good, s.bad, s.lost)}
		for who, p in pairs(s.permits) do
			parts[#parts + 1] = format('%s %.0f %.0f;', who, p[1], p[2])
		end
		v[6] = table.concat(parts)
	end
	local set, gone = {}, {}
	for i, field in ipairs(fields) do
		if v[i] ~= s.was[i] then
			if v[i] then
				set[#set + 1] = field
				set[#set + 1] = v[i]
			elseif s.was[i] then
				gone[#gone + 1] = field
			end
		end
	end
	if #gone > 0 then
		redis.call('HDEL', state, unpack(gone))
	end
	if #set > 0 then
		redis.call('HSET', state, unpack(set))
		redis.call('PEXPIRE', state, week)
	end
end

local function newRound()
	dirty = true
	s.given, s.good, s.bad, s.lost, s.permits, s.out = 0, 0, 0, 0, {}, 0
end

local function lift()
	dirty = true
	s.outage, s.retry = 0, 0
	newRound()
end

local function credible(n)
	return n > 0 and n <= furthest
end

local function share()
	return s.rampAt == 0 and whole or shareOf(now - s.rampAt, r.ramp, s.top)
end

local function change(what, reason)
	dirty = true
	s.change = max(now, s.change + 1)
	s.reason = reason
	events[#events + 1] = table.concat({text(s.change), what == '' and 'AUTO' or what, process == '' and '-' or process, reason}, ' ')
	push = push or what ~= 'TRIAL'
end

local function begin(reason)
	local wait, at = r.retry, share()
	if s.rampAt > 0 and at > first then
		wait = min(wait, r.ramp)
		s.top = max(first, floor(at * 6 / 10))
	else
		s.top = 0
	end
	change('BEGAN', reason)
	newRound()
	s.outage, s.retry, s.rampAt = s.change, now + wait, 0
end

local function finish(reason)
	change('ENDED', reason)
	s.ended = max(s.ended, s.outage)
	lift()
	s.rampAt, s.stir, s.stirred = now, 0, 0
	s.witnesses, s.votes, s.calls, s.failures = 0, 0, 0, 0
end

local function obey(word, lasts, by)
	local forced = s.word == 'OPEN'
	s.handEnd = lasts > 0 and now + lasts or 0
	s.word, s.by = word, by
	local reason = 'by hand: ' .. by
	if word == 'OPEN' then
		lift()
		change('BEGAN', reason)
		s.outage, s.retry, s.rampAt, s.top = s.change, now + r.retry, 0, 0
	elseif s.outage > 0 or forced then
		finish(reason)
	else
		change(word, reason)
	end
	if word == 'OFF' then
		s.rampAt, s.top = 0, 0
	end
	if word == 'CLOSE' then
		s.word = ''
	end
	s.handN = s.change
end

local function merge()
	local highest = s.change
	if credible(input.ended) and input.ended > s.ended then
		s.ended, dirty = input.ended, true
	end
	if input.handN > s.handN and credible(input.handN) then
		s.word, s.handN, s.by, dirty = input.handWord, input.handN, input.handBy, true
		s.handEnd = input.handFor > 0 and now + input.handFor or 0
	end
	if s.outage > 0 and s.outage <= s.ended then
		lift()
	end
	if credible(input.outage) and input.outage > max(s.ended, s.outage) and s.word ~= 'OFF' then
		lift()
		s.outage, s.reason = input.outage, 'the store had lost it'
		s.retry = now + min(max(input.retryIn, 0), r.retry)
		s.rampAt = 0
	end
	s.change = max(s.change, s.ended, s.outage, s.handN)
	if credible(input.told) then
		s.change = max(s.change, input.told)
	end
	dirty = dirty or s.change ~= highest
end

local function expire()
	if s.handEnd > 0 and now >= s.handEnd then
		obey('CLOSE', 0, 'its time is over')
	end
	for who, p in pairs(s.permits) do
		if p[2] <= now then
			s.permits[who], dirty = nil, true
			s.out, s.lost = s.out - 1, s.lost + 1
		end
	end
	if s.rampAt > 0 and share() >= whole then
		s.rampAt, s.top, dirty = 0, 0, true
	end
end

local function held()
	return s.outage > 0 or s.word == 'OFF'
end

local function failing()
	return input.failures > 0 or input.vote == 1
end

local function calm()
	return s.stirred == 0 or now - s.stirred > r.window
end

local function report()
	if process == '' or held() or input.ended ~= s.ended then
		return
	end
	sound('HSET', records, process, format('%.0f %.0f %.0f %.0f %.0f %s', now, input.calls, input.failures, input.vote, s.ended, own))
	if not failing() then
		return
	end
	if calm() then
		s.stir, push, dirty = now, true, true
	end
	if calm() or now - s.stirred > r.window / 8 then
		s.stirred, dirty = now, true
	end
end

local function pause()
	if input.vote == 1 then
		return min(max(floor(s.members / 4), 5), 1000)
	end
	return 1000 + s.members
end

-- encode puts the settings first that most processes have, then those with the longest window.
local function encode(counts)
	local kinds = {}
	for rule, n in pairs(counts) do
		kinds[#kinds + 1] = {n, settings(rule).window, rule}
	end
	table.sort(kinds, function(a, b)
		if a[1] ~= b[1] then
			return a[1] > b[1]
		elseif a[2] ~= b[2] then
			return a[2] > b[2]
		end
		return a[3] < b[3]
	end)
	for i, kind in ipairs(kinds) do
		kinds[i] = text(kind[1]) .. ':' .. kind[3]
	end
	return table.concat(kinds, ';')
end

-- weigh says what the records are together. Records of dead processes count until they are old.
local function weigh()
	if sound('HLEN', records) > largest then
		redis.call('DEL', records)
		complain('key ' .. records .. ' had more than ' .. largest .. ' fields')
	end
	local w = {members = 0, witnesses = 0, votes = 0, failing = 0, calls = 0, failures = 0}
	local living, kinds, volumes, counted, gone = alive(), {}, {}, {}, {}
	local all = redis.call('HGETALL', records)
	local from, window = now - r.window, r.window
	for i = 1, #all, 2 do
		local who = all[i]
		local at, calls, failures, vote, epoch, rule = match(all[i + 1], '^(%d+) (%d+) (%d+) ([0-3]) (%d+) (.+)$')
		at, calls, failures = tonumber(at), tonumber(calls), tonumber(failures)
		if not at or at > furthest or failures > calls or calls > 1e12 or not settings(rule) then
			complain('field ' .. string.sub(who, 1, 40) .. ' of key ' .. records .. ' was ' .. string.sub(all[i + 1], 1, 40))
			at = nil
		end
		local here, fresh = living[who] and vote ~= '2', at and at > from
		if not at or not here and not fresh then
			gone[#gone + 1] = who
		else
			if here then
				w.members = w.members + 1
				kinds[rule] = (kinds[rule] or 0) + 1
			end
			if fresh and tonumber(epoch) == s.ended then
				if here and (calls > 0 or vote == '1' or vote == '3') then
					w.witnesses = w.witnesses + 1
				end
				if here and vote == '1' then
					w.votes = w.votes + 1
				end
				if failures > 0 then
					w.failing = w.failing + 1
				end
				if calls > 0 then
					volumes[#volumes + 1] = calls
					counted[#counted + 1] = failures
				end
			end
		end
	end
	for i = 1, #gone, 1000 do
		redis.call('HDEL', records, unpack(gone, i, min(i + 999, #gone)))
	end
	redis.call('PEXPIRE', records, week)
	if #volumes > 0 then
		local sorted = {unpack(volumes, 1, min(#volumes, 7000))} -- the median of so many is near enough
		table.sort(sorted)
		local most = 4 * sorted[floor((#sorted - 1) / 2) + 1]
		for i, calls in ipairs(volumes) do
			if calls > most then
				w.calls, w.failures = w.calls + most, w.failures + floor(counted[i] * most / calls)
			else
				w.calls, w.failures = w.calls + calls, w.failures + counted[i]
			end
		end
	end
	w.rules = encode(kinds)
	return w
end

local function judge()
	if held() or s.judged > 0 and now - s.judged < pause() and process ~= '' then
		return
	end
	judged, dirty = true, true
	if process ~= '' or s.judged == 0 then -- a tool that looks often must not keep processes from judging
		s.judged = now
	end
	local w = weigh()
	s.members, s.witnesses, s.votes, s.calls, s.failures, s.rules = w.members, w.witnesses, w.votes, w.calls, w.failures, w.rules
	r = settings(match(s.rules, '^%d+:([^;]+)') or own)
	local sums = max(floor(r.window / 24), 1)
	local need = min(r.votes, w.witnesses)
	if s.stir == 0 or need == 0 or process == '' then
		return
	elseif now >= s.stir + min(250, sums) and w.votes >= need and w.votes * 100 >= r.share * w.witnesses then
		begin(format('%d of %d processes opened their own breaker; enough are %d and %.4g %%', w.votes, w.witnesses, need, r.share))
	elseif now >= s.stir + sums and w.failing >= need and w.failures >= r.errors and w.failures * 100 >= r.threshold * w.calls then
		begin(format('%.4g %% of %.0f calls of %d processes failed in %.4gs; enough are %.4g %% and %.0f failures',
			w.failures * 100 / w.calls, w.calls, w.witnesses, r.window / 1000, r.threshold, r.errors))
	end
end

local function failed(reason)
	change('TRIAL_FAILED', reason)
	newRound()
	s.retry, s.top = now + r.retry, 0
end

local function give()
	if s.permits[process] or now < s.retry or s.good + s.bad + s.out >= r.of then
		return
	end
	if s.given == 0 then
		change('TRIAL', format('%d trial calls of all processes decide', r.of))
	end
	s.given, dirty = s.given + 1, true
	s.permits[process] = {s.given, now + r.trial}
	s.out = s.out + 1
end

local function try()
	if s.outage == 0 or s.word == 'OPEN' then
		return
	end
	local permit = s.permits[process]
	if input.trial > 0 and permit and input.trialOutage == s.outage and input.trialID == permit[1] then
		s.permits[process], dirty = nil, true
		s.out = s.out - 1
		if input.trial == 1 then
			s.good = s.good + 1
		elseif input.trial == 2 then
			s.bad = s.bad + 1
		end
	end
	if s.good >= r.good then
		finish(format('%d of %d trials succeeded', s.good, s.good + s.bad))
	elseif s.bad > r.of - r.good then
		failed(format('%d of %d trials failed', s.bad, s.good + s.bad))
	elseif s.lost >= r.of then
		failed(format('%d trials did not come back in %.4gs', s.lost, r.trial / 1000))
	elseif input.want and process ~= '' then
		give()
	end
end

local function again()
	if held() or process == '' then
		return 0
	end
	local at = 0
	if not judged and not calm() then
		at = max(s.judged + pause() - now, 1)
	end
	local settle = max(floor(r.window / 24), 1)
	if input.vote == 1 then
		settle = min(250, settle)
	end
	if failing() and s.stir > 0 and now < s.stir + settle then
		at = max(at, s.stir + settle - now)
	end
	return at
end

-- tell keeps and announces what happened.
local function tell()
	if #events > 0 then
		for _, event in ipairs(events) do
			if string.find(attempt('LPUSH', history, event).err or '', 'WRONGTYPE', 1, true) then
				attempt('DEL', history)
				attempt('LPUSH', history, event)
			end
		end
		attempt('LTRIM', history, 0, kept - 1)
		attempt('PEXPIRE', history, week)
	end
	if push then
		attempt('ZADD', KEYS[2], text(now), name)
		attempt('PUBLISH', channel, name .. ' ' .. text(s.change))
	end
end

-- news are the changes that this process made and was not told of, oldest first.
local function news(before)
	local own, told = {}, min(input.told, before) -- what is higher is of a clock far ahead of this one
	if input.told == 0 or s.change <= told then
		return events
	end
	for _, event in ipairs(attempt('LRANGE', history, 0, 19)) do
		local n, by = match(event, '^(%d+) %S+ (%S+) ')
		if not n or tonumber(n) <= told then
			break
		elseif by == process then
			table.insert(own, 1, event)
		end
	end
	return #own > 0 and own or events
end

local function view(before)
	local permit = s.permits[process]
	local rest = ''
	if s.outage > 0 or s.rampAt > 0 or s.top > 0 or s.handN > 0 or push then
		rest = format('%.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %d',
			s.outage, max(s.retry - now, 0), s.rampAt > 0 and now - s.rampAt or -1, s.top, s.handN, s.handEnd > 0 and max(s.handEnd - now, 1) or 0,
			permit and permit[1] or 0, permit and permit[2] - now or 0, s.out, s.good, s.bad, push and 1 or 0)
	end
	local v = {
		format('%.0f %.0f %d %.0f %.0f %.0f %.0f %.0f %.0f',
			s.change, s.ended, calm() and 1 or 0, again(), s.members, s.witnesses, s.votes, s.calls, s.failures),
		rest, s.word, s.by, s.rules, s.reason, '',
	}
	local told = news(before)
	v[7] = trouble
	for _, event in ipairs(told) do
		v[#v + 1] = event
	end
	return v
end

local none = {0, 0, 0, 0, 0, 0, 0, 0, 0} -- of an input that says no more

local function step(i)
	local a = head + (i - 1) * width
	name, state, records, history = ARGV[a + 1], KEYS[3 * i], KEYS[3 * i + 1], KEYS[3 * i + 2]
	trouble, events, push, judged, dirty = '', {}, false, false, false
	local told, ended, calls, failures, vote = match(ARGV[a + 3], '^(%d+) (%d+) (%d+) (%d+) (%d)$')
	local n = none
	if ARGV[a + 4] ~= '' then
		n = {}
		for word in string.gmatch(ARGV[a + 4], '%S+') do
			n[#n + 1] = tonumber(word)
		end
	end
	input = {
		rule = ARGV[a + 2], told = tonumber(told), ended = tonumber(ended), calls = tonumber(calls), failures = tonumber(failures), vote = tonumber(vote),
		outage = n[1], retryIn = n[2], handN = n[3], handFor = n[4], trialOutage = n[5], trialID = n[6], trial = n[7], want = n[8] == 1,
		orderFor = n[9], handWord = ARGV[a + 5], handBy = ARGV[a + 6], order = ARGV[a + 7], orderBy = ARGV[a + 8],
	}
	read()
	merge()
	local before = s.change
	expire()
	if input.order ~= '-' then
		obey(input.order, input.orderFor, input.orderBy)
	end
	report()
	judge()
	try()
	if dirty then
		write()
	end
	tell()
	return view(before)
end

trouble = ''
if process ~= '' then
	if ttl > 0 then
		sound('ZADD', KEYS[1], text(now + ttl), process)
	else
		sound('ZREM', KEYS[1], process)
	end
	redis.call('PEXPIRE', KEYS[1], week)
end
local changed = {}
if since > 0 then
	changed = sound('ZRANGEBYSCORE', KEYS[2], text(since), '+inf')
end
if #changed > 100 then
	attempt('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now - horizon))
end
local answers = {text(now), changed}
for i = 1, (#KEYS - 2) / 3 do
	local fine, answer = pcall(step, i)
	if not fine then
		answer = {type(answer) == 'table' and answer.err or tostring(answer)}
	end
	answers[#answers + 1] = answer
end
return answers
