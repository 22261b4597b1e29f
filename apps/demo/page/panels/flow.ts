import {
  PROTOCOLS,
  ROUTES,
  type CountsMessage,
  type RequestMessage,
  type SecondMessage,
  type WelcomeMessage,
} from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, el, press, setText, surface } from '../dom.ts'
import { type FlowLayout, isHidden, LEFT_SHARE, pointOn, ribbons, RIGHT_SHARE, type Ribbon } from '../flow-geometry.ts'
import { duration, rate, shortMs } from '../format.ts'
import { isStill } from '../motion.ts'

interface Dot {
  readonly protocol: number
  readonly row: number
  readonly lane: number
  readonly isOwn: boolean
  readonly isFailed: boolean
  way: number
}

/** Seconds in which a dot moves from left to right. */
const CROSSING_S = 1.9
const OWN_CROSSING_S = 2.6
/** Maximum number of dots on screen. A race sends 150 requests together. */
const MAX_DOTS = 700
/** Number of dots above which only the visitor's dots have a tail. */
const MAX_TAILS = 250
/** Share of the path over which the dots of a batch are spread, because batches arrive every 100 ms. */
const SPREAD = 0.1 / CROSSING_S
/** Speed at which ribbons follow the rates: 90% of a change takes about 2 s. */
const EASE_PER_S = 1.2

/** The flow: a ribbon from each protocol to each route, as wide as its rate, and a dot for each request. */
export class Flow {
  readonly #canvas = byId('flow', HTMLCanvasElement)
  readonly #from = byId('from')
  readonly #core = byId('core')
  readonly #to = byId('to')
  readonly #rates = PROTOCOLS.map(() => ROUTES.map(() => 0))
  #wanted = PROTOCOLS.map(() => ROUTES.map(() => 0))
  #layout: FlowLayout | undefined
  #dots: Dot[] = []
  #hasHttp3 = true

  constructor() {
    for (const route of ROUTES)
      this.#to.append(el('li', {}, el('code', { textContent: route }), el('span'), el('span'), el('span')))
    for (const name of ['parse', 'route', 'middleware', 'handler', 'write']) {
      const row = el('div', {}, el('span', { textContent: name }), el('span', { className: 'value', textContent: '–' }))
      row.dataset['stage'] = name
      this.#core.append(row)
    }
  }

  welcome({ protocols, second }: WelcomeMessage): void {
    this.#hasHttp3 = protocols.includes('h3')
    if (second !== undefined) this.second(second)
    if (this.#rates.flat().every((value) => value === 0))
      for (const [p, row] of this.#wanted.entries()) this.#rates[p] = [...row]
    this.#rail()
  }

  traffic(level: string, isOffered: boolean): void {
    const group = byId('traffic')
    press(group, (button) => button.dataset['level'] === level)
    group.hidden = !isOffered
    byId('by').hidden = !isOffered
  }

  /** Adds a dot for each request. Skips requests in `own`, which `ring` draws. */
  counts({ counts }: CountsMessage): void {
    if (isStill()) return
    for (const [protocol, row, count, failed] of counts) {
      for (let n = 0; n < count && this.#dots.length < MAX_DOTS; n++) this.#start(protocol, row, n < failed, false)
    }
  }

  /**
   * Draws a ring around the dot for a visitor's request. The counts already include the request, so this dot replaces
   * one of the dots that the counts add.
   */
  ring({ protocol, row, status }: RequestMessage): void {
    if (isStill()) return
    const index = PROTOCOLS.indexOf(protocol)
    const same = this.#dots.findLastIndex(
      (dot) => dot.protocol === index && dot.row === row && !dot.isOwn && dot.way < SPREAD * 2,
    )
    if (same !== -1) this.#dots.splice(same, 1)
    this.#start(index, row, status > 399, true)
  }

  second({ rates, connections, routes, stages }: SecondMessage): void {
    this.#wanted = PROTOCOLS.map((_, p) => ROUTES.map((__, row) => rates[p * ROUTES.length + row] ?? 0))
    if (isStill()) for (const [p, row] of this.#wanted.entries()) this.#rates[p] = [...row]
    const sums = PROTOCOLS.map((_, p) => this.#wanted[p]?.reduce((a, b) => a + b, 0) ?? 0)
    for (const [p, sum] of sums.entries()) {
      const isOff = p === 2 && !this.#hasHttp3
      const open = connections[p]
      const isWide = window.innerWidth > 900
      const text = isWide && open !== undefined ? `${rate(sum)} · ${open} conn.` : rate(sum)
      if (!isOff) setText(this.#from.children[p]?.lastElementChild, text)
    }
    for (const [row, [p50, failed]] of routes.entries()) {
      const [, perSecond, median, share] = this.#to.children[row]?.children ?? []
      const sum = this.#wanted.reduce((total, byRow) => total + (byRow[row] ?? 0), 0)
      setText(perSecond, rate(sum))
      setText(median, p50 === 0 ? '' : shortMs(p50))
      setText(share, `${failed < 9.95 ? Number(failed.toFixed(1)) : Math.round(failed)} %`)
      if (share !== undefined) share.className = failed > 0 ? 'warn' : ''
    }
    const longest = Math.max(1, ...Object.values(stages))
    for (const row of this.#core.querySelectorAll<HTMLElement>('[data-stage]')) {
      const us = stages[row.dataset['stage'] ?? '']
      setText(row.lastElementChild, us === undefined ? '–' : duration(us))
      row.style.setProperty('--w', String(((us ?? 0) / longest) * 100))
    }
  }

  /** Measures the positions of the elements. Call it when the size or the fonts change. */
  resize(): void {
    const box = this.#canvas.getBoundingClientRect()
    if (box.width === 0) return
    // Large screens zoom the page. The canvas uses pixels before the zoom.
    const zoom = box.width / this.#canvas.clientWidth
    const x = (from: number): number => (from - box.left) / zoom
    const y = (from: number): number => (from - box.top) / zoom
    const middle = this.#core.getBoundingClientRect()
    const centers = (list: HTMLElement): number[] =>
      Array.from(list.children, (item) => {
        const { top, bottom } = item.getBoundingClientRect()
        return y((top + bottom) / 2)
      })
    this.#layout = {
      x0: x(this.#from.getBoundingClientRect().right) + 6,
      xa: x(middle.left),
      xb: x(middle.right),
      x1: x(this.#to.getBoundingClientRect().left) + 2,
      middle: y((middle.top + middle.bottom) / 2),
      height: middle.height / zoom - 22,
      from: centers(this.#from),
      to: centers(this.#to),
    }
  }

  /** Draws the next frame. */
  draw(seconds: number): void {
    const target = surface(this.#canvas)
    if (target === undefined) return
    if (this.#layout === undefined) this.resize()
    const layout = this.#layout
    if (layout === undefined) return
    const ease = Math.min(1, seconds * EASE_PER_S)
    for (const [p, row] of this.#rates.entries()) {
      for (const [r, value] of row.entries()) row[r] = value + ((this.#wanted[p]?.[r] ?? 0) - value) * ease
    }
    const all = ribbons(layout, this.#rates)
    for (const ribbon of all) this.#drawRibbon(target.g, layout, ribbon)
    const hasTails = this.#dots.length <= MAX_TAILS
    this.#dots = this.#dots.filter((dot) => {
      dot.way += seconds / (dot.isOwn ? OWN_CROSSING_S : CROSSING_S)
      const ribbon = all[dot.protocol * ROUTES.length + dot.row]
      if (dot.way > 1 || ribbon === undefined) return false
      if (dot.way > 0 && !isHidden(dot.way)) drawDot(target.g, layout, ribbon, dot, hasTails || dot.isOwn)
      return true
    })
  }

  #start(protocol: number, row: number, isFailed: boolean, isOwn: boolean): void {
    const way = isOwn ? 0 : -Math.random() * SPREAD
    this.#dots.push({ protocol, row, isFailed, isOwn, way, lane: Math.random() - 0.5 })
  }

  /** Explains the HTTP/3 lane if the server does not offer HTTP/3. */
  #rail(): void {
    const lane = this.#from.children[2]
    if (this.#hasHttp3 || lane === undefined) return
    lane.classList.add('off')
    lane.lastElementChild?.replaceChildren(
      'off',
      el('span', { className: 'more', textContent: 'npm i @matrixai/quic' }),
    )
  }

  #drawRibbon(g: CanvasRenderingContext2D, { x0, xa, xb, x1 }: FlowLayout, ribbon: Ribbon): void {
    const color = colors[PROTOCOLS[ribbon.protocol] ?? 'h1']
    const half = ribbon.width / 2 + 0.25
    const halves = [
      [x0, xa, ribbon.start, ribbon.enter, half * LEFT_SHARE, half, '12', '6b'],
      [xb, x1, ribbon.leave, ribbon.end, half, half * RIGHT_SHARE, '6b', '12'],
    ] as const
    for (const [left, right, a, b, p, q, from, to] of halves) {
      const c = (left + right) / 2
      const gradient = g.createLinearGradient(left, 0, right, 0)
      gradient.addColorStop(0, color + from)
      gradient.addColorStop(1, color + to)
      g.fillStyle = gradient
      g.beginPath()
      g.moveTo(left, a - p)
      g.bezierCurveTo(c, a - p, c, b - q, right, b - q)
      g.lineTo(right, b + q)
      g.bezierCurveTo(c, b + q, c, a + p, left, a + p)
      g.fill()
    }
  }
}

function drawDot(g: CanvasRenderingContext2D, layout: FlowLayout, ribbon: Ribbon, dot: Dot, hasTail: boolean): void {
  const { way, lane, isOwn } = dot
  const isRed = dot.isFailed && way > 0.5
  const color = colors[PROTOCOLS[dot.protocol] ?? 'h1']
  if (hasTail) {
    g.strokeStyle = isRed ? colors.bad : color
    g.lineCap = 'round'
    g.lineWidth = isOwn ? 3 : 1.8
    g.globalAlpha = 0.45
    g.beginPath()
    for (let n = 0; n < 4; n++) {
      const at = way - n * 0.012
      if (at > 0 && !isHidden(at) && at > 0.5 === way > 0.5) g.lineTo(...pointOn(layout, ribbon, at, lane))
    }
    g.stroke()
    g.globalAlpha = 1
  }
  const [x, y] = pointOn(layout, ribbon, way, lane)
  g.fillStyle = isRed ? colors.bad : isOwn ? colors.you : color
  g.beginPath()
  g.arc(x, y, isOwn ? 4 : isRed ? 3 : 2.1, 0, 7)
  g.fill()
  if (!isOwn) return
  g.strokeStyle = colors.you
  g.lineWidth = 1.5
  g.beginPath()
  g.arc(x, y, 8, 0, 7)
  g.stroke()
}
