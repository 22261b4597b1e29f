import type { PreparedResponse } from './prepared-response.ts'
import { isHttpError } from './http-error.ts'
import { negotiatedField } from './negotiated-field.ts'
import { ProtocolError } from '../engine/errors.ts'
import { statusPhrase } from '../engine/semantics/status-phrase.ts'

/** The content of an error response. */
export interface Problem {
  readonly status: number
  /** Detail for the client. Never the message of an internal error. */
  readonly detail?: string | undefined
  /** URI reference that identifies the type of problem. */
  readonly type?: string | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A problem formatted as a body. */
export interface ProblemDocument {
  readonly contentType: string
  readonly body: string
}

/** Returns the problem that an `HttpError` or a `ProtocolError` describes, or a 500 without details for any other value. */
export function problemOf(error: unknown): Problem {
  if (isHttpError(error)) {
    const { status, message, type, extensions, headers } = error
    const detail = message === statusPhrase(status) || message === '' ? undefined : message
    return { status, detail, type, extensions, headers }
  }
  if (error instanceof ProtocolError) return { status: error.status, detail: error.message }
  return { status: 500 }
}

/**
 * Formats a problem as `application/problem+json`, or as plain text for a client that prefers it.
 *
 * @param accept The request's `accept` field
 * @see RFC 9457
 */
export function problemDocument(problem: Problem, accept: string | null): ProblemDocument {
  const { status, detail, type = 'about:blank', extensions } = problem
  const title = statusPhrase(status) || `Error ${status}`
  if (prefersText(accept)) {
    return {
      contentType: 'text/plain; charset=utf-8',
      body: `${detail === undefined ? title : `${title}: ${detail}`}\n`,
    }
  }
  return {
    contentType: 'application/problem+json',
    body: JSON.stringify({ ...extensions, type, title, status, detail }),
  }
}

/** Reports whether the client prefers plain text to JSON (RFC 9110 §12.5.1). */
function prefersText(accept: string | null): boolean {
  const field = negotiatedField(accept)
  if (field === undefined) return false
  const elements = field.split(',').map((element) => element.split(';').map((part) => part.trim().toLowerCase()))
  const text = quality(elements, ['text/plain', 'text/*', '*/*'])
  const json = Math.max(
    quality(elements, ['application/problem+json', 'application/*', '*/*']),
    quality(elements, ['application/json', 'application/*', '*/*']),
  )
  return text > json
}

/** @param ranges Media ranges, the most specific one first. The first range that `elements` contains applies */
function quality(elements: readonly (readonly string[])[], ranges: readonly string[]): number {
  for (const range of ranges) {
    const parameters = elements.find(([name]) => name === range)?.slice(1)
    if (parameters === undefined) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (weight === undefined) return 1
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
  }
  return 0
}

/** Replaces the prepared response with an error response. Keeps the fields that do not describe the old body. */
export function prepareProblem(prepared: PreparedResponse, accept: string | null, problem: Problem): void {
  prepared.abandonBody()
  const { contentType, body } = problemDocument(problem, accept)
  prepared.set(body, contentType, { status: problem.status, ...(problem.headers ? { headers: problem.headers } : {}) })
  const vary = prepared.headers.get('vary')
  if (vary === null || !/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(vary)) prepared.headers.append('vary', 'accept')
}
