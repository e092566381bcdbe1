--- @keys alerts...
-- Answers for each alert its pieces joined (packed-alert.ts; '' when it is unknown), then names and values of the fields that
-- change independently of it. The steps of its event log, which are most of its fields, are left out.
-- Their first three letters tell these fields apart: `outcome:…`, `repeats:…`, `newest:…`, `group:…`, `timeline`, `progress`,
-- `asked`, `tried:…`.
local wanted = { out = true, rep = true, new = true, gro = true, tim = true, pro = true, ask = true, tri = true }
-- Most names are the same in all alerts, so each is looked at once: the number of a piece, false for other names.
local numbers = {}
local function numberOf(name)
  local digits = string.match(name, '^p(%d+)$')
  numbers[name] = digits and digits + 1 or false
  return numbers[name]
end
local LOG = string.byte('l')
local answers = {}
for index = 1, #KEYS do
  local fields, pieces, answer = redis.call('HGETALL', KEYS[index]), {}, { '' }
  for at = 1, #fields, 2 do
    local name = fields[at]
    local piece = numbers[name]
    if piece == nil then piece = numberOf(name) end
    if piece then
      pieces[piece] = fields[at + 1]
    elseif string.byte(name) ~= LOG and wanted[string.sub(name, 1, 3)] then
      answer[#answer + 1], answer[#answer + 2] = name, fields[at + 1]
    end
  end
  local count = 0
  while pieces[count + 1] do count = count + 1 end
  answer[1] = table.concat(pieces, '', 1, count)
  answers[index] = answer
end
return answers
