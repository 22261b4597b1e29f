/** Costs in nanoseconds, by candidate name. */
export type Costs = ReadonlyMap<string, number>

/**
 * Maximum cost of a request with ten times the checks, as a multiple of one without a subscriber. Measured: 1.12 to 1.17 on
 * 2026-11-27.
 */
const MAX_CHECKS = 1.4
/**
 * Minimum cost of a request with a subscriber, as a multiple of one without. Measured: 1.2 to 1.6 on 2026-11-27. If a request
 * did the same work without a subscriber, both would cost the same.
 */
const MIN_SUBSCRIBED = 1.08

/** Compares the costs with the limits. As ratios, they are the same on every machine. @returns the problems found */
export function exceededLimits(costs: Costs): string[] {
  const base = costs.get('no subscriber') ?? Number.NaN
  const ratioOf = (name: string): number => (costs.get(name) ?? Number.NaN) / base
  const checks = ratioOf('ten times the checks')
  const subscribed = ['end of a request', 'last byte', 'middleware'].map((name) => ({ name, ratio: ratioOf(name) }))
  return [
    ...(checks <= MAX_CHECKS
      ? []
      : [`Ten times the checks cost ${checks.toFixed(2)} times a request, at most ${MAX_CHECKS}`]),
    ...subscribed
      .filter(({ ratio }) => !(ratio >= MIN_SUBSCRIBED))
      .map(
        ({ name, ratio }) =>
          `${name}: a request with a subscriber costs ${ratio.toFixed(2)} times one without, at least ${MIN_SUBSCRIBED}`,
      ),
  ]
}
