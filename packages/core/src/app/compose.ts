import { withCode } from '@fw/options'
/** Runs with a context. Returns `undefined` if it completed synchronously. */
export type Step<C> = (context: C) => Promise<void> | undefined

/** Runs around the rest of a chain, which `next` runs. */
export type Around<C> = (context: C, next: () => Promise<void>) => unknown

/** Connects a chain to a context's response. */
export interface Conclusion<C> {
  /** Receives the result of a middleware function that did not call `next`. */
  conclude(context: C, result: unknown): void
  /** Reports whether a response was prepared or sent. */
  hasResponse(context: C): boolean
  /** Releases the result of a middleware function that called `next`. */
  discard(result: unknown): void
}

const DONE: Promise<void> = Promise.resolve()

/**
 * Wraps `innermost` in middleware. The first function is the outermost. Builds the chain once, not for each request.
 *
 * Waits for the inner part even if middleware does not await `next()`, unless that middleware has prepared a response.
 * Fails with an inner error if middleware swallows that error without responding.
 */
export function compose<C>(chain: readonly Around<C>[], innermost: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return chain.reduceRight<Step<C>>((inner, middleware) => wrap(middleware, inner, conclusion), innermost)
}

/** Reports whether a value must be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function wrap<C>(middleware: Around<C>, inner: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return (context) => {
    let running: Promise<void> | undefined
    const result = middleware(context, () => {
      if (running !== undefined)
        throw withCode(
          'FW_NEXT_CALLED_TWICE',
          new Error('next() was called twice. Call it once, and return its result.'),
        )
      return (running = run(inner, context))
    })
    // Middleware that returns the promise from `next()` needs no further promise.
    if (result !== running && isThenable(result)) return finish(result, () => running, context, conclusion)
    if (running === undefined) conclusion.conclude(context, result)
    else if (result !== undefined && result !== running) conclusion.discard(result)
    // Middleware that returned synchronously has neither awaited `next()` nor handled its error.
    return running === DONE ? undefined : running
  }
}

function run<C>(step: Step<C>, context: C): Promise<void> {
  let running: Promise<void>
  try {
    running = step(context) ?? DONE
  } catch (error) {
    running = Promise.reject(error)
  }
  // Middleware that forgets to await `next()` must not end the process with an unhandled rejection.
  if (running !== DONE) running.catch(() => {})
  return running
}

async function finish<C>(
  result: PromiseLike<unknown>,
  inner: () => Promise<void> | undefined,
  context: C,
  conclusion: Conclusion<C>,
): Promise<void> {
  const value = await result
  const running = inner()
  if (running === undefined) return conclusion.conclude(context, value)
  if (value !== undefined) conclusion.discard(value)
  if (!conclusion.hasResponse(context)) await running
}
