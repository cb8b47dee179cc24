"""The scripts that run inside Redis. KEYS are always the log and its head.

Each runs as one step, so a number is never given twice and no reader sees half an append. Numbers are
formatted with %.0f: Lua's own form turns to an exponent at 1e14.
"""

from __future__ import annotations

_APPEND = """
local now = redis.call('TIME')
local arrival = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
local function add(n, form, payload)
  local first = redis.call('INCRBY', KEYS[2], n) - n
  redis.call('XADD', KEYS[1], string.format('%.0f-1', first), 'n', n, 't', arrival, form, payload)
  return first
end
-- The newest entry stays, however small the retention.
local function trim(retention, newest)
  local least = math.min(newest, redis.call('GET', KEYS[2]) - retention)
  if least > 0 then redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f', least)) end
end
"""

APPEND = (
    _APPEND
    + """
local first = add(tonumber(ARGV[1]), 'a', ARGV[3])
trim(tonumber(ARGV[2]), first)
return string.format('%.0f', first)
"""
)

APPEND_JSON = (
    _APPEND
    + """
local first, last
for i = 2, #ARGV do
  last = add(1, 'j', ARGV[i])
  first = first or last
end
trim(tonumber(ARGV[1]), last)
return string.format('%.0f', first)
"""
)

_FIRST = """
local function first_of(entry) return string.match(entry[1], '^%d+') end
local function value_of(entry, name)
  for i = 1, #entry[2], 2 do if entry[2][i] == name then return entry[2][i + 1] end end
end
"""

EDGES = (
    _FIRST
    + """
local head = redis.call('GET', KEYS[2]) or '0'
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if not oldest then return {head, head, false} end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return {first_of(oldest), head, value_of(newest, 't')}
"""
)

ENTRY_AT = (
    _FIRST
    + """
local entry = redis.call('XREVRANGE', KEYS[1], ARGV[1] .. '-1', '-', 'COUNT', 1)[1]
if not entry then return false end
return {first_of(entry), value_of(entry, 'n')}
"""
)

# Neighbouring JSON entries come back as one string of lines: a reply of twenty thousand small parts
# costs the reader ten times what it costs here. An end without its `-0` would stand for the last id of
# that number, and take in the entry that starts there.
READ = """
local found = redis.call('XRANGE', KEYS[1], ARGV[1], '(' .. ARGV[2] .. '-0', 'COUNT', ARGV[3])
local runs, lines, arrivals, opened, next_first = {}, {}, {}, nil, ARGV[1]
local function close()
  if #lines > 0 then
    runs[#runs + 1] = {'j', opened, #lines, table.concat(arrivals, ' '), table.concat(lines, '\\n')}
  end
  lines, arrivals, opened = {}, {}, nil
end
for _, entry in ipairs(found) do
  local first = string.match(entry[1], '^%d+')
  local fields = entry[2]
  if fields[5] == 'j' then
    opened = opened or first
    arrivals[#arrivals + 1] = fields[4]
    lines[#lines + 1] = fields[6]
  else
    close()
    runs[#runs + 1] = {'a', first, fields[2], fields[4], fields[6]}
  end
  next_first = string.format('%.0f', first + fields[2])
end
close()
return {#found, next_first, runs}
"""

ALL = {
    "append": APPEND,
    "append_json": APPEND_JSON,
    "edges": EDGES,
    "entry_at": ENTRY_AT,
    "read": READ,
}
