--- @keys spans
--- @include "./spans"
-- ARGV: an alert's id, ms that it covers, what is stored of it if it is missing, TTL (s).
local spans = readSpans(1)
coverTime(spans, ARGV[1], ARGV[2], ARGV[3])
writeSpans(1, spans, ARGV[4])
return 1
