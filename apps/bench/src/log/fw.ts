import { RequestLogger } from '@fw/access-log'
import * as log from '@fw/log'
import { type Candidate, HOST } from './candidate.ts'

/** Configures `@fw/log` with a file sink. */
export function fw(path: string, options: log.LogOptions, showLocation = false): Candidate {
  log.init({ ...options, sinks: [new log.FileSink({ path, showLocation })] })
  return {
    info: (n) => log.info('listening on {}:{}', HOST, n),
    debug: (n) => log.debug('listening on {}:{}', HOST, n),
    end: () => log.shutdown(),
  }
}

/** Configures a child logger or a request logger. */
export function fwChild(path: string, of: 'child' | 'request'): Candidate {
  const parent = fw(path, {})
  const child = of === 'child' ? log.with({ host: HOST }) : new RequestLogger(log.logger, () => '[GET /] ')
  return {
    info: (n) => child.info('listening on {}:{}', HOST, n),
    debug: (n) => child.debug('listening on {}:{}', HOST, n),
    end: () => parent.end(),
  }
}
