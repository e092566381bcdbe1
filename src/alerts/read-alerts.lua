--- @keys alerts...
-- Answers for each alert its pieces joined (packed-alert.ts; '' when it is unknown), then names and values of the fields that
-- change independently of it. The steps of its event log, which are most of its fields, are left out.
-- Their first three letters tell these fields apart: `outcome:…`, `repeats:…`, `newest:…`, `group:…`, `timeline`, `progress`,
-- `asked`, `tried:…`.
local wanted = { out = true, rep = true, new = true, gro = true, tim = true, pro = true, ask = true, tri = true }
-- Most names are `log:…` and those of pieces: a byte and a table tell these apart, which is cheaper than a pattern.
local LOG, numbers, names = string.byte('l'), {}, {}
local function nameOf(piece)
  if not names[piece] then
    names[piece] = 'p' .. piece
    numbers[names[piece]] = piece
  end
  return names[piece]
end
local answers = {}
for index = 1, #KEYS do
  local fields, values, answer = redis.call('HGETALL', KEYS[index]), {}, { '' }
  for at = 1, #fields, 2 do
    local name = fields[at]
    values[name] = fields[at + 1]
    if not numbers[name] and string.byte(name) ~= LOG and wanted[string.sub(name, 1, 3)] then
      answer[#answer + 1], answer[#answer + 2] = name, fields[at + 1]
    end
  end
  local pieces = {}
  while values[nameOf(#pieces)] do pieces[#pieces + 1] = values[nameOf(#pieces)] end
  answer[1] = table.concat(pieces)
  answers[index] = answer
end
return answers
