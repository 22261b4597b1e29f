// The server for black-box cases: node server.ts <port> <directory> <options as JSON>
import { extname } from 'node:path'
import { Server } from '@fw/core'
import { staticFiles, type StaticFilesOptions } from '../src/index.ts'

/** `cacheControl` as data, because JSON has no functions. */
interface CacheControlRules {
  readonly default?: string
  readonly byExt?: Readonly<Record<string, string>>
  readonly fallback?: string
}

type CaseOptions = Omit<StaticFilesOptions, 'cacheControl'> & {
  readonly prefix?: string
  readonly cacheControl?: CacheControlRules
}

const [port = '0', directory = '.', json = '{}'] = process.argv.slice(2)
const { prefix = '/', cacheControl, ...options } = JSON.parse(json) as CaseOptions
const server = new Server({ shutdown: 'signals' })
staticFiles(server.router(), prefix, directory, {
  ...options,
  ...(cacheControl && { cacheControl: follow(cacheControl) }),
})
await server.listen({ port: Number(port), host: '127.0.0.1' })

function follow(rules: CacheControlRules): NonNullable<StaticFilesOptions['cacheControl']> {
  return (path, isFallback) => (isFallback ? rules.fallback : (rules.byExt?.[extname(path)] ?? rules.default))
}
