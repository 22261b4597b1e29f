import type { History, SecondMessage } from '../../src/live/messages.ts'
import { PROTOCOLS, ROUTES } from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, setText, surface } from '../dom.ts'
import { shortMs } from '../format.ts'

type Series = Record<keyof History, number[]>

/** Number of seconds in the chart behind each number. */
const SECONDS = 60

const EMPTY: History = { h1: [], h2: [], h3: [], p50: [], p99: [], failed: [], inFlight: [], loopDelay: [], memory: [] }

/** Six numbers, each in front of a chart of its last minute. */
export class Numbers {
  readonly #boxes = [...byId('kpis').children]
  #series: Series = structuredClone(EMPTY) as Series

  /** Replaces the series with the server's history, unless that is shorter, as it is after a server restart. */
  welcome(history: History): void {
    // A server that has just started has fewer values than this page.
    if (history.h1.length >= this.#series.h1.length) this.#series = structuredClone(history) as Series
    this.draw()
  }

  second(second: SecondMessage): void {
    const put = (name: keyof History, value: number): void => {
      const series = this.#series[name]
      series.push(value)
      if (series.length > SECONDS) series.shift()
    }
    for (const [p, name] of PROTOCOLS.entries()) {
      put(
        name,
        second.rates.slice(p * ROUTES.length, (p + 1) * ROUTES.length).reduce((a, b) => a + b, 0),
      )
    }
    put('p50', second.p50Ms)
    put('p99', second.p99Ms)
    put('failed', second.failed)
    put('inFlight', second.inFlight)
    put('loopDelay', second.loopDelayMs)
    put('memory', second.memoryMb)
    this.draw()
  }

  draw(): void {
    const { h1, h2, h3, p50, p99, failed, inFlight, loopDelay, memory } = this.#series
    const failedSum = failed.reduce((a, b) => a + b, 0)
    this.#text(0, String((h1.at(-1) ?? 0) + (h2.at(-1) ?? 0) + (h3.at(-1) ?? 0)))
    const [middle, high] = [p50.at(-1) ?? 0, p99.at(-1) ?? 0]
    // Without a request in the last 10 s, there is no median.
    if (high === 0) this.#text(1, '–', '')
    else this.#text(1, middle.toFixed(middle < 9.995 ? 2 : 1), `ms, p99 ${shortMs(high).replace(' ms', '')}`)
    this.#text(2, String(failedSum))
    this.#boxes[2]?.querySelector('b')?.classList.toggle('warn', failedSum > 0)
    this.#text(3, String(inFlight.at(-1) ?? 0))
    this.#text(4, (loopDelay.at(-1) ?? 0).toFixed(1))
    this.#text(5, String(memory.at(-1) ?? 0))
    this.#stack(0, [h1, h2, h3])
    this.#lines(1, [p99, p50])
    this.#bars(2, failed)
    this.#lines(3, [inFlight])
    this.#lines(4, [loopDelay])
    this.#lines(5, [memory])
  }

  #text(n: number, value: string, unit?: string): void {
    const box = this.#boxes[n]
    setText(box?.querySelector('b'), value)
    if (unit !== undefined) setText(box?.querySelector('small'), unit)
  }

  #surface(n: number) {
    const canvas = this.#boxes[n]?.querySelector('canvas')
    return canvas === null || canvas === undefined ? undefined : surface(canvas)
  }

  #stack(n: number, all: readonly number[][]): void {
    const target = this.#surface(n)
    if (target === undefined) return
    const { g, width, height } = target
    const base = Array.from({ length: SECONDS }, () => 0)
    const at = (series: readonly number[], i: number): number => series[i - (SECONDS - series.length)] ?? 0
    const top = Math.max(10, ...base.map((_, i) => all.reduce((sum, series) => sum + at(series, i), 0))) * 1.15
    const x = (i: number): number => (i / (SECONDS - 1)) * width
    for (const [p, series] of all.entries()) {
      g.beginPath()
      for (const [i, value] of base.entries()) g.lineTo(x(i), height - (value / top) * height)
      for (let i = SECONDS - 1; i >= 0; i--) {
        base[i] = (base[i] ?? 0) + at(series, i)
        g.lineTo(x(i), height - ((base[i] ?? 0) / top) * height)
      }
      g.fillStyle = colors[PROTOCOLS[p] ?? 'h1']
      g.globalAlpha = 0.75
      g.fill()
    }
  }

  #bars(n: number, series: readonly number[]): void {
    const target = this.#surface(n)
    if (target === undefined) return
    const { g, width, height } = target
    const scale = Math.min(9, height / Math.max(1, ...series))
    g.fillStyle = colors.warn
    for (const [i, value] of series.entries()) {
      const x = ((i + SECONDS - series.length) / (SECONDS - 1)) * width
      g.fillRect(x - 1, height - value * scale, 2.2, value * scale)
    }
  }

  #lines(n: number, all: readonly (readonly number[])[]): void {
    const target = this.#surface(n)
    if (target === undefined) return
    const { g, width, height } = target
    const top = Math.max(0.001, ...all.flat()) * 1.25
    for (const [order, series] of all.entries()) {
      g.beginPath()
      for (const [i, value] of series.entries()) {
        g.lineTo(((i + SECONDS - series.length) / (SECONDS - 1)) * width, height - (value / top) * height)
      }
      g.strokeStyle = colors.muted
      g.globalAlpha = order === 0 ? 0.9 : 0.5
      g.lineWidth = 1.5
      g.stroke()
    }
  }
}
