-- trial gives the one token for trial calls to the process, or lets it keep the token that it has.
--
-- ARGV[6…]: outage, milliseconds until the token passes on

local outage, lasts = ARGV[6], tonumber(ARGV[7])

if s.outage ~= outage or s.forced or off then
	return view()
end
local token = {holder = process, ['until'] = whole(now + lasts)}
if s.holder == process then
	write(token)
elseif now > number('retry') and (not s.holder or now > number('until')) then
	change('TRIAL', 'the fleet may send the trials of ' .. process, token)
end
return view()
