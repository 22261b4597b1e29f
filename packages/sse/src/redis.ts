export { RedisBackplane, type RedisBackplaneOptions } from './redis-backplane.ts'
export type { RedisClient } from './redis-connection.ts'
