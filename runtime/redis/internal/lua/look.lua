-- look answers how things are. A process that lost touch wants to know whether it may write again, too.
--
-- ARGV[6]: READ or WRITE

if ARGV[6] == 'WRITE' then
	write({checked = whole(now)})
end
return view()
