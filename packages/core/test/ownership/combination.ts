import type { Random } from '@fw/testing/fuzz'

/** Ways in which a handler reads a request body. */
export const READERS = [
  'none',
  'bytes',
  'text',
  'json',
  'form',
  'stream',
  'iterator',
  'pipe',
  'tee',
  'parts',
  'part.bytes',
  'part iterator',
  'request',
  'request.clone',
  'request.body',
  'twice',
] as const

/** When the handler awaits its read. */
export const MOMENTS = ['now', 'later', 'after the response', 'never'] as const

/** Results that the handler returns or prepares. */
export const RESULTS = [
  'text',
  'nothing',
  'stream',
  'slow stream',
  'endless stream',
  'failing stream',
  'iterable',
  'failing iterable',
  'Node.js stream',
  'file',
  'FileHandle',
  'Response of a text',
  'Response of a form',
  'Response of a stream',
  'undici Response with text',
  'undici Response with a stream',
  'own Response with text',
  'own Response with an iterable',
  'own Response with a failing iterable',
  'ctx.stream',
  'ctx.stream with a wrong init',
  'a result of startResponse',
  'two results',
] as const

/** Events that interrupt the request. */
export const EVENTS = [
  'none',
  'disconnect before the body',
  'disconnect within the body',
  'disconnect within the response',
  'timeout',
  'error',
  'drain',
  'HEAD',
  '304',
] as const

/** One request, its handler and the event that interrupts it. */
export interface Combination {
  readonly reader: (typeof READERS)[number]
  readonly moment: (typeof MOMENTS)[number]
  readonly result: (typeof RESULTS)[number]
  readonly event: (typeof EVENTS)[number]
  /** Whether the handler catches the rejection of its read. */
  readonly catches: boolean
  /** Whether the body passes through a decoder. */
  readonly decodes: boolean
  /** Whether middleware awaits the handler and then returns a different result. */
  readonly hasMiddleware: boolean
}

/** Returns a random combination. */
export function combination(random: Random): Combination {
  return {
    reader: random.pick(READERS),
    moment: random.pick(MOMENTS),
    result: random.pick(RESULTS),
    event: random.pick(EVENTS),
    catches: random.chance(0.5),
    decodes: random.chance(0.3),
    hasMiddleware: random.chance(0.3),
  }
}
