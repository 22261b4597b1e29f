import type { RedisEntry } from './entry.ts'

/**
 * Script that adds each entry to the stream once. A hash stores the highest number of each publisher, so a publisher
 * without a reply can send its entries again. The script restores a lost entry under its own ID unless the stream has
 * newer entries. It refuses entries while the stream ends before an entry that the caller has seen, so that lost
 * entries are restored first. Redis runs and logs the script atomically.
 *
 * Each entry names the previous one, so that readers detect entries that were removed before they read them.
 */
const SCRIPT = `
local function parts(id)
  local ms, number = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(number)
end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
newest = newest and newest[1] or '0-0'
local ms, number = parts(newest)
local seenMs, seenNumber = parts(ARGV[2])
if ms < seenMs or (ms == seenMs and number < seenNumber) then
  return redis.error_reply('LOST The stream has lost its newest entries')
end
if redis.call('HLEN', KEYS[2]) > 10000 then redis.call('DEL', KEYS[2]) end
for at = 3, #ARGV, 5 do
  local id, origin, number, previous, body = unpack(ARGV, at, at + 4)
  local last = redis.call('HGET', KEYS[2], origin)
  local isNew = not last or tonumber(number) > tonumber(last)
  if isNew or id ~= '*' then
    if previous == '' then previous = newest end
    local fields = { 'o', origin, 's', number, 'p', previous, 'm', body }
    local added = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], id, unpack(fields))
    if type(added) ~= 'table' then
      newest = added
      if isNew then redis.call('HSET', KEYS[2], origin, number) end
    elseif id == '*' or not string.find(added.err, 'equal or smaller') then
      return added
    end
  end
end
return redis.status_reply('OK')`

/**
 * Returns the command that adds entries.
 *
 * @param seen The stream must contain this entry or a later one; `0-0` disables the check
 * @param entries Entries to add. Redis assigns an ID to those with the ID `*`
 */
export function addCommand(key: string, maxLength: number, seen: string, entries: readonly RedisEntry[]): string[] {
  const values = entries.flatMap(({ entryId, origin, number, previous, body }) => {
    return [entryId, origin, String(number), previous, body]
  })
  return ['EVAL', SCRIPT, '2', key, `${key}:publishers`, String(maxLength), seen, ...values]
}
