import * as log from '@fw/log'
import { type Candidate, HOST } from './candidate.ts'

/** The same text as lines of the peers in text form. */
export function fw(path: string, options: log.LogOptions, showLocation = false): Candidate {
  log.init({ ...options, sinks: [new log.FileSink({ path, showLocation })] })
  return {
    info: (n) => log.info('listening on {}:{}', HOST, n),
    debug: (n) => log.debug('listening on {}:{}', HOST, n),
    end: () => log.shutdown(),
  }
}
