import { openSync, writeSync } from 'node:fs'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { type Candidate, HOST } from './candidate.ts'

// Each function imports its library, so that a process loads only the logger under test.

export async function pinoTo(path: string, mode: 'sync' | 'async' | 'worker', withCaller = false): Promise<Candidate> {
  const { pino } = await import('pino')
  const stream =
    mode === 'worker'
      ? pino.transport({ target: 'pino/file', options: { destination: path } })
      : pino.destination({ dest: path, sync: mode === 'sync', minLength: mode === 'sync' ? 0 : 4096 })
  const plain = pino(stream)
  const logger = withCaller ? (await pinoCaller())(plain) : plain
  return {
    info: (n) => logger.info('listening on %s:%d', HOST, n),
    debug: (n) => logger.debug('listening on %s:%d', HOST, n),
    async end() {
      if (mode === 'sync') return
      // The worker thread of pino does not keep the process alive.
      const timer = setInterval(() => {}, 1000)
      stream.end()
      await once(stream, 'close')
      clearInterval(timer)
    },
  }
}

/** Imports pino-caller without its types, which declare an export that does not exist. */
async function pinoCaller(): Promise<(logger: Logger) => Logger> {
  const module: { default: unknown } = await import('pino-caller')
  return module.default as (logger: Logger) => Logger
}

export async function winstonTo(filename: string): Promise<Candidate> {
  const { createLogger, format, transports } = await import('winston')
  const file = new transports.File({ filename })
  const line = format.printf(({ timestamp, level, message }) => `${String(timestamp)} ${level} ${String(message)}`)
  const logger = createLogger({ transports: [file], format: format.combine(format.splat(), format.timestamp(), line) })
  return {
    info: (n) => void logger.info('listening on %s:%d', HOST, n),
    debug: (n) => void logger.debug('listening on %s:%d', HOST, n),
    async end() {
      logger.end()
      await once(file, 'finish')
    },
  }
}

export async function logtapeTo(path: string): Promise<Candidate> {
  const [{ configure, dispose, getLogger }, { getFileSink }] = await Promise.all([
    import('@logtape/logtape'),
    import('@logtape/file'),
  ])
  const quiet = { category: ['logtape', 'meta'], sinks: [] }
  await configure({
    sinks: { file: getFileSink(path, { nonBlocking: true }) },
    loggers: [{ category: 'bench', sinks: ['file'], lowestLevel: 'info' }, quiet],
  })
  const logger = getLogger('bench')
  return {
    info: (n) => logger.info('listening on {host}:{n}', { host: HOST, n }),
    debug: (n) => logger.debug('listening on {host}:{n}', { host: HOST, n }),
    end: dispose,
  }
}

export async function consolaTo(path: string): Promise<Candidate> {
  const { createConsola, LogLevels } = await import('consola/basic')
  const fd = openSync(path, 'a')
  const logger = createConsola({
    level: LogLevels.info,
    reporters: [
      { log: ({ date, type, args }) => void writeSync(fd, `${date.toISOString()} ${type} ${args.join(' ')}\n`) },
    ],
  })
  return {
    info: (n) => logger.info(`listening on ${HOST}:${n}`),
    debug: (n) => logger.debug(`listening on ${HOST}:${n}`),
    end() {},
  }
}

export async function tslogTo(path: string): Promise<Candidate> {
  const [{ Logger }, { fileTransport }] = await Promise.all([import('tslog'), import('tslog/transports/file')])
  const logger = new Logger({ type: 'hidden', minLevel: 3, stack: { capture: 'off' } })
  logger.attachTransport(fileTransport({ path, append: true }))
  return {
    info: (n) => void logger.info('listening on %s:%d', `${HOST}:${n}`),
    debug: (n) => void logger.debug('listening on %s:%d', `${HOST}:${n}`),
    end: () => logger.flush(),
  }
}

export async function roarrTo(path: string): Promise<Candidate> {
  process.env.ROARR_LOG = 'true'
  const { Roarr, ROARR } = await import('roarr')
  const fd = openSync(path, 'a')
  ROARR.write = (message) => void writeSync(fd, `${message}\n`)
  return {
    info: (n) => Roarr.info('listening on %s:%d', HOST, n),
    // Roarr does not have a level threshold, so the application filters the records.
    debug: () => {},
    end() {},
  }
}
