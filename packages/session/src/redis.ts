export { redisSessions, type RedisSessionClient, type RedisSessionsOptions } from './redis-sessions.ts'
