import { sharedCases } from '@fw/testing'
import type { RuntimeFormat } from '@fw/log'
import type { Context, LevelNumber, LogRecord } from '@fw/types'
import type { AccessLogConfig } from '../src/index.ts'

export type HeaderValue = string | { readonly $bytes: string }

/** A black-box case from outside this repository. */
export interface Case {
  readonly name: string
  readonly rule: string
  readonly config: Record<string, unknown>
  readonly over?: 'context'
  readonly middleware?: boolean
  readonly group?: { readonly prefix: string; readonly config: Record<string, unknown> }
  readonly request: {
    readonly method: string
    readonly target: string
    readonly headers: Record<string, HeaderValue | readonly HeaderValue[]>
    readonly peer: string | null
    readonly raw?: string
  }
  readonly response: {
    readonly status: number
    readonly bytes: number | null
    readonly durationNs: number
    readonly headers: Record<string, HeaderValue | readonly HeaderValue[]>
    readonly protocol: Context['protocol']
    readonly stream?: boolean
    readonly aborted?: 'before-head' | 'after-head'
    readonly from?: 'throw' | 'no-route' | 'parser'
  }
  readonly threshold?: string
  readonly requestLog?: readonly { readonly op: 'info'; readonly args: readonly [RuntimeFormat, ...unknown[]] }[]
  readonly expectLine?: string | null
  readonly expectPattern?: string
  readonly expectJson?: object
  readonly expectText?: string
  readonly expectLevel?: string | null
  readonly expectRequestLog?: readonly { readonly level: string; readonly text: string }[]
  readonly expectRequestLogger?: 'present' | 'absent'
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'off']
export const levelOf = (name: string): LevelNumber => LEVELS.indexOf(name) as LevelNumber
const LEVEL_OPTIONS = ['normalLevel', 'clientErrorLevel', 'serverErrorLevel', 'slowLevel']

/** Returns the bytes that represent a value on the wire, one character each. */
export function latin1(value: HeaderValue): string {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.$bytes, 'hex')
  return bytes.toString('latin1')
}

/** Returns the field values by lower-case name. */
export function fields(headers: Case['request']['headers']): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().map((one) => latin1(one))]),
  )
}

function predicate(text: string): (ctx: Context) => boolean {
  if (text === 'throws') {
    return () => {
      throw new Error('as described')
    }
  }
  if (text.startsWith('header:')) return (ctx) => ctx.headers.has(text.slice('header:'.length))
  if (text === 'method==OPTIONS') return (ctx) => ctx.method === 'OPTIONS'
  if (text === 'status<400') return (ctx) => ctx.status < 400
  if (text === 'status==304') return (ctx) => ctx.status === 304
  throw new Error(`Unknown predicate: ${text}`)
}

function formatter(description: { $formatter?: string; $throws?: true }): (ctx: Context, ns: number) => string {
  const { $formatter: template } = description
  return (ctx, ns) => {
    if (template === undefined) throw new Error('as described')
    const values: Record<string, unknown> = { method: ctx.method, path: ctx.path, status: ctx.status, ns }
    return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
  }
}

/** Returns the configuration that a case describes. */
export function configOf(described: Record<string, unknown>): AccessLogConfig {
  const config = { ...described }
  for (const name of LEVEL_OPTIONS) if (name in config) config[name] = levelOf(String(config[name]))
  if ('skipIf' in config) config['skipIf'] = predicate((config['skipIf'] as { $predicate: string }).$predicate)
  if ('customFormatter' in config) config['customFormatter'] = formatter(config['customFormatter'] as object)
  return config
}

/** Returns the text and level of a record, as the cases name them. */
export function shown({ level, message }: LogRecord): { level: string | undefined; text: string } {
  return { level: LEVELS[level], text: message }
}

/** All cases; empty without the shared folder. */
export const CASES = sharedCases('access-log.json') as readonly Case[]
