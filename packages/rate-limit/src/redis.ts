export type { Grant, Quota } from './rate/gcra.ts'
export type { RateLimitStore } from './rate/store.ts'
export type { RedisClient } from './redis/connection.ts'
export { redisRateLimits, type RedisRateLimits, type RedisRateLimitsOptions } from './redis/redis-store.ts'
