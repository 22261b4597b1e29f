export {
  redisSessions,
  type RedisCommandOptions,
  type RedisSessionClient,
  type RedisSessionsOptions,
} from './redis-sessions.ts'
