// A session is a hash with the fields `v` (version), `d` (data) and `c` (time of creation). It expires with its key.

/** Returns the version, data, time of creation and remaining milliseconds; nil without a session. */
export const READ = `
local found = redis.call('HMGET', KEYS[1], 'v', 'd', 'c')
if not found[1] then return false end
found[4] = redis.call('PTTL', KEYS[1])
return found`

const WRITE = `
redis.call('HSET', KEYS[1], 'v', ARGV[1], 'd', ARGV[2], 'c', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

/** Stores a session. ARGV: version, data, time of creation, remaining milliseconds. */
export const CREATE: string = WRITE

/** Stores a session if the version is the last argument. Never creates one. */
export const REPLACE: string = `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[5] then return 0 end${WRITE}`

/** Deletes a session of this version. */
export const DELETE = `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`
