-- A script can pass only a limited number of arguments to a command.
local function inChunks(items, work)
  for from = 1, #items, 1000 do
    local chunk = {}
    for at = from, math.min(from + 999, #items) do chunk[#chunk + 1] = items[at] end
    work(chunk)
  end
end
