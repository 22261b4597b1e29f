import type { Candidate } from './candidate.ts'
import { fw, fwChild } from './fw.ts'
import { consolaTo, logtapeTo, pinoTo, roarrTo, tslogTo, winstonTo } from './peers.ts'

/** Loggers that run in Node.js, by name. Each function receives the path of the log file. */
export const CANDIDATES: Readonly<Record<string, (path: string) => Candidate | Promise<Candidate>>> = {
  'fw sync': (path) => fw(path, {}),
  'fw child logger': (path) => fwChild(path, 'child'),
  'fw request logger': (path) => fwChild(path, 'request'),
  'fw async': (path) => fw(path, { async: true, overflow: 'block' }),
  'pino sync': (path) => pinoTo(path, 'sync'),
  'pino async': (path) => pinoTo(path, 'async'),
  'pino worker': (path) => pinoTo(path, 'worker'),
  roarr: roarrTo,
  consola: consolaTo,
  tslog: tslogTo,
  winston: winstonTo,
  logtape: logtapeTo,
  'fw sync, location': (path) => fw(path, {}, true),
  'fw async, location': (path) => fw(path, { async: true, overflow: 'block' }, true),
  'fw async, location, marked': (path) => fw(path, { async: true, overflow: 'block' }, true),
  'pino-caller': (path) => pinoTo(path, 'sync', true),
}
