/* oxlint-disable unicorn/consistent-function-scoping -- The page runs the function without this file. */

/**
 * Finds what a machine can find in a picture of the page. Runs in the page, so it uses nothing from outside.
 *
 * @param isTouch Whether each control must be 44 pixels high and wide
 */
export function findProblems(isTouch: boolean): string[] {
  const problems: string[] = []
  const dialog = document.querySelector('dialog[open]')
  const root = dialog ?? document.body
  const name = (element: Element): string =>
    `${element.tagName.toLowerCase()}#${element.id}.${element.className} "${(element.textContent ?? '').trim().slice(0, 40)}"`
  const all = [...root.querySelectorAll<HTMLElement>('*')].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }),
  )

  // The page scrolls vertically at most.
  for (const each of [document.documentElement, ...document.querySelectorAll('main')]) {
    if (each.scrollWidth > each.clientWidth) problems.push(`scrolls horizontally: ${name(each)}`)
  }

  // Texts that an ellipsis may shorten, or that scroll.
  const mayBeCut = '.row .path > span, .life .title, .log div, .to code, pre, pre *, .rest, .rest *'
  const texts = all.flatMap((element) => {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
    return own.flatMap((node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      return [...range.getClientRects()].map((box) => ({ element, box: visiblePart(element, box) ?? box, whole: box }))
    })
  })

  /** Returns the part of a box that no ancestor hides; `undefined` if they hide all of it. */
  function visiblePart(element: Element, box: DOMRect): DOMRect | undefined {
    let { left, top, right, bottom } = box
    for (
      let each: Element | null = element;
      each !== null && each !== document.documentElement;
      each = each.parentElement
    ) {
      if (getComputedStyle(each).overflow === 'visible') continue
      const outer = each.getBoundingClientRect()
      left = Math.max(left, outer.left)
      right = Math.min(right, outer.right)
      top = Math.max(top, outer.top)
      bottom = Math.min(bottom, outer.bottom)
    }
    return right - left > 0.5 && bottom - top > 0.5 ? new DOMRect(left, top, right - left, bottom - top) : undefined
  }

  const shown = texts.filter(({ element, whole }) => visiblePart(element, whole) !== undefined)
  for (const { element, box, whole } of shown) {
    if (element.matches(mayBeCut)) continue
    if (box.left - whole.left > 1 || whole.right - box.right > 1) problems.push(`is cut off: ${name(element)}`)
    if (whole.left < -1 || whole.right > innerWidth + 1) problems.push(`is outside: ${name(element)}`)
  }
  // A list can show half a line, a sentence cannot.
  for (const { element, whole } of texts) {
    const box = element.closest('.say, .kpi')?.getBoundingClientRect()
    if (box !== undefined && whole.bottom > box.bottom + 1) problems.push(`is cut off below: ${name(element)}`)
  }

  // No two texts meet.
  for (const [n, a] of shown.entries()) {
    for (const b of shown.slice(n + 1)) {
      if (a.element === b.element || a.element.contains(b.element) || b.element.contains(a.element)) continue
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)
      // Boxes of lines are higher than their letters.
      if (wide > 1 && high > 5) problems.push(`overlap: ${name(a.element)} and ${name(b.element)}`)
    }
  }

  // A panel shows something.
  const panels = all.filter((each) => each.matches('section, .kpi'))
  for (const panel of panels)
    if (!shown.some(({ element }) => panel.contains(element))) problems.push(`is blank: ${name(panel)}`)
  for (const canvas of all.filter((each) => each instanceof HTMLCanvasElement && each.matches('#flow, #gantt'))) {
    if (!(canvas instanceof HTMLCanvasElement)) continue
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
    if (!data.some((value) => value > 0)) problems.push(`is blank: ${name(canvas)}`)
  }

  if (isTouch) {
    for (const each of all.filter((one) =>
      one.matches('button, a, input:not([type=checkbox]), label, [role=option]'),
    )) {
      const { width, height } = each.getBoundingClientRect()
      if (width < 43.5 || height < 43.5) problems.push(`is ${Math.round(width)} × ${Math.round(height)}: ${name(each)}`)
    }
  }
  return [...new Set(problems)]
}
