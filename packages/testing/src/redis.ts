export { CuttableLine } from './redis/cuttable-line.ts'
export { RedisServer } from './redis/redis-server.ts'
