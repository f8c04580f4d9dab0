-- settle ends a trial: with it the outage, or only this try.
--
-- ARGV[6…]: outage, GOOD or BAD, reason

local outage, result, reason = ARGV[6], ARGV[7], ARGV[8]

if s.outage == outage and s.holder == process and not s.forced then
	local token = {holder = false, ['until'] = false}
	if now > number('until') then
		write(token) -- too late: the trials may be those of another time
	elseif result == 'GOOD' then
		finish(reason)
	else
		token.retry = whole(now + patience)
		change('TRIAL_FAILED', reason, token)
	end
end
return view()
