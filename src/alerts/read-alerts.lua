--- @keys alerts...
-- Returns for each alert its pieces joined (packed-alert.ts; '' when it is unknown), then the names and values of the
-- fields that change independently. Leaves out the steps of the event log, which are most of the fields.
local wanted = { outcome = true, repeats = true, timeline = true, progress = true, asked = true, tried = true }
local answers = {}
for index = 1, #KEYS do
  local fields, pieces, answer = redis.call('HGETALL', KEYS[index]), {}, { '' }
  for at = 1, #fields, 2 do
    local piece = string.match(fields[at], '^p(%d+)$')
    if piece then
      pieces[piece + 1] = fields[at + 1]
    elseif wanted[string.match(fields[at], '^%l+')] then
      answer[#answer + 1], answer[#answer + 2] = fields[at], fields[at + 1]
    end
  end
  local count = 0
  while pieces[count + 1] do count = count + 1 end
  answer[1] = table.concat(pieces, '', 1, count)
  answers[index] = answer
end
return answers
