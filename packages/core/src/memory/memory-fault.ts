import { NO_FIELD_LIMITS } from '../engine/semantics/field-limits.ts'
import { judgeRequestHead } from '../engine/semantics/request-head.ts'
import type { Rejected } from '../engine/semantics/verdict.ts'
import type { MemoryRequest } from './request.ts'

/**
 * Checks an in-memory request against the rules for HTTP/1.1, and returns the reason to reject it, if any. A URL is
 * already valid, but the fields `host`, `content-length` and `expect` can contain anything.
 */
export function memoryFault({ method, target, headers }: MemoryRequest): Rejected | undefined {
  const verdict = judgeRequestHead(
    {
      version: '1.1',
      method,
      target,
      scheme: undefined,
      authority: undefined,
      host: headers.get('host') ?? undefined,
      path: target,
      protocol: undefined,
      allowsProtocol: false,
      contentLength: headers.get('content-length') ?? undefined,
      isChunked: false,
      te: undefined,
      expect: headers.get('expect') ?? undefined,
      fieldCount: 0,
    },
    NO_FIELD_LIMITS,
  )
  return verdict.kind === 'ok' ? undefined : verdict
}
