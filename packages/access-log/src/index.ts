export { accessLog, accessLog as logger } from './access-log.ts'
export { AccessLogFormat, type AccessLogConfig } from './config.ts'
export { RequestLogger } from './request-logger.ts'
export type { TrustProxy } from './trusted-proxies.ts'
