export { RedisBackplane, type RedisBackplaneOptions } from './backplane/redis/redis-backplane.ts'
export type { RedisClient } from './backplane/redis/connection.ts'
