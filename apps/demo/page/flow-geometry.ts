/** Positions of the elements of the flow, in canvas pixels. */
export interface FlowLayout {
  /** Left and right edges of the left half. */
  readonly x0: number
  readonly xa: number
  /** Left and right edges of the right half. */
  readonly xb: number
  readonly x1: number
  /** Middle and height of the box between the halves. */
  readonly middle: number
  readonly height: number
  /** Vertical centers of the protocols and the routes. */
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** Path of the requests from one protocol to one route: its vertical center at four places, and its width. */
export interface Ribbon {
  readonly protocol: number
  readonly row: number
  readonly width: number
  readonly start: number
  readonly enter: number
  readonly leave: number
  readonly end: number
}

/** Width of a ribbon at its left and right ends, as a share of its width in the middle. */
export const LEFT_SHARE = 0.78
export const RIGHT_SHARE = 0.58
/** Maximum number of pixels per request per second, so that an idle server has thin ribbons. */
const MAX_SCALE = 4
/** Width of the thin rail for a ribbon without requests. */
const RAIL = 0.6
/** Fractions of the path between which the box in the middle hides the dots. */
const BOX_FROM = 0.45
const BOX_TO = 0.55

/** Returns the ribbons for the rates by protocol and route, as wide as their rates. */
export function ribbons(layout: FlowLayout, rates: readonly (readonly number[])[]): readonly Ribbon[] {
  const total = rates.flat().reduce((a, b) => a + b, 0)
  const scale = Math.min((layout.height * 0.9) / Math.max(total, 0.01), MAX_SCALE)
  const width = (protocol: number, row: number): number => Math.max(RAIL, (rates[protocol]?.[row] ?? 0) * scale)
  const rows = layout.to.map((_, row) => row)
  const protocols = layout.from.map((_, protocol) => protocol)
  const sumOfRow = (row: number): number => protocols.reduce((sum, protocol) => sum + width(protocol, row), 0)
  const all = rows.reduce((sum, row) => sum + sumOfRow(row), 0)

  let enter = layout.middle - all / 2
  let edge = enter
  const leave = rows.map((row) => {
    const top = edge
    edge += sumOfRow(row)
    return top
  })
  const end = rows.map((row) => (layout.to[row] ?? 0) - (sumOfRow(row) * RIGHT_SHARE) / 2)
  return protocols.flatMap((protocol) => {
    const whole = rows.reduce((sum, row) => sum + width(protocol, row), 0)
    let start = (layout.from[protocol] ?? 0) - (whole * LEFT_SHARE) / 2
    return rows.map((row) => {
      const w = width(protocol, row)
      const ribbon = {
        protocol,
        row,
        width: w,
        start: start + (w * LEFT_SHARE) / 2,
        enter: enter + w / 2,
        leave: (leave[row] ?? 0) + w / 2,
        end: (end[row] ?? 0) + (w * RIGHT_SHARE) / 2,
      }
      start += w * LEFT_SHARE
      enter += w
      leave[row] = (leave[row] ?? 0) + w
      end[row] = (end[row] ?? 0) + w * RIGHT_SHARE
      return ribbon
    })
  })
}

/** Reports whether a dot is behind the box. */
export function isHidden(way: number): boolean {
  return way > BOX_FROM && way < BOX_TO
}

/**
 * Returns a dot's position.
 *
 * @param way From 0 at the protocol to 1 at the route
 * @param lane Position of the dot across its ribbon, from -0.5 to 0.5
 */
export function pointOn(
  { x0, xa, xb, x1 }: FlowLayout,
  ribbon: Ribbon,
  way: number,
  lane: number,
): readonly [x: number, y: number] {
  const offset = ribbon.width > 4 ? lane * (ribbon.width * RIGHT_SHARE - 3) : 0
  if (way < BOX_FROM) {
    const t = way / BOX_FROM
    return [curveX(x0, xa, t), curveY(ribbon.start, ribbon.enter, t) + offset]
  }
  if (way < BOX_TO) {
    const t = (way - BOX_FROM) / (BOX_TO - BOX_FROM)
    return [xa + (xb - xa) * t, ribbon.enter + (ribbon.leave - ribbon.enter) * t + offset]
  }
  const t = (way - BOX_TO) / (1 - BOX_TO)
  return [curveX(xb, x1, t), curveY(ribbon.leave, ribbon.end, t) + offset]
}

/** Returns a point on a Bézier curve whose control points lie midway between its ends, as in `bezierCurveTo`. */
function curveX(from: number, to: number, t: number): number {
  const s = 1 - t
  const middle = (from + to) / 2
  return s * s * s * from + 3 * s * s * t * middle + 3 * s * t * t * middle + t * t * t * to
}

function curveY(from: number, to: number, t: number): number {
  const s = 1 - t
  return s * s * s * from + 3 * s * s * t * from + 3 * s * t * t * to + t * t * t * to
}
