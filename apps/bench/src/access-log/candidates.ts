/** A server with or without an access log. */
interface Candidate {
  /** Lines that it logs for each request. */
  readonly linesPerRequest: number
  /** The same server without a log. */
  readonly base: string
  readonly load: () => Promise<{ start: Start }>
  /** Which of the forms that the module has. */
  readonly form?: string
}

/** Starts a server that answers `/users/:id`. */
export type Start = (logPath: string, form: string | undefined) => Promise<Started>

export interface Started {
  readonly port: number
  /** Resolves when everything is written. */
  stop(): Promise<void> | void
}

const fw = (): Promise<{ start: Start }> => import('./servers/fw.ts')
const nodeHttp = (): Promise<{ start: Start }> => import('./servers/node-http.ts')
const fastify = (): Promise<{ start: Start }> => import('./servers/fastify.ts')

export const CANDIDATES: Readonly<Record<string, Candidate>> = {
  fw: { linesPerRequest: 0, base: 'fw', load: fw },
  'fw-combined': { linesPerRequest: 1, base: 'fw', load: fw, form: 'combined' },
  'fw-json': { linesPerRequest: 1, base: 'fw', load: fw, form: 'json' },
  'fw-combined-sync': { linesPerRequest: 1, base: 'fw', load: fw, form: 'combined-sync' },
  'node-http': { linesPerRequest: 0, base: 'node-http', load: nodeHttp },
  morgan: { linesPerRequest: 1, base: 'node-http', load: nodeHttp, form: 'morgan' },
  'pino-http': { linesPerRequest: 1, base: 'node-http', load: nodeHttp, form: 'pino-http' },
  fastify: { linesPerRequest: 0, base: 'fastify', load: fastify },
  'fastify-pino': { linesPerRequest: 2, base: 'fastify', load: fastify, form: 'pino' },
}

/** Runs a candidate until it is told to stop. */
export async function serve(name: string, logPath: string): Promise<void> {
  const candidate = CANDIDATES[name]
  if (candidate === undefined) throw new Error(`There is no candidate ${name}`)
  const { start } = await candidate.load()
  const started = await start(logPath, candidate.form)
  process.once('message', () => {
    Promise.resolve(started.stop()).then(
      () => process.exit(),
      () => process.exit(1),
    )
  })
  process.send?.({ port: started.port })
}
