-- settle ends a trial: with it the outage, or only this try.
--
-- ARGV[6…]: outage, GOOD or BAD, reason

local outage, result, reason = ARGV[6], ARGV[7], ARGV[8]

if s.outage == outage and s.holder == process and now <= number('until') and not s.forced then
	if result == 'GOOD' then
		finish(reason)
	else
		change('TRIAL_FAILED', reason, {holder = false, ['until'] = false, retry = whole(now + patience)})
	end
end
return view()
