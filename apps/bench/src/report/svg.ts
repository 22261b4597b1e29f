/** Colors for light and dark mode. */
const STYLE = `
/* The image includes a background, because a reader in dark mode can view it on a light page. */
.page { fill: #ffffff }
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.own { fill: #0969da } .peer { fill: #a8b1bb } .line { fill: none; stroke: #0969da; stroke-width: 1.5 } .axis { stroke: #a8b1bb }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117 }
  text { fill: #e6edf3 }
  .own { fill: #4493f8 } .peer { fill: #57606a } .line { stroke: #4493f8 } .axis { stroke: #57606a }
}
`

/** Returns an SVG image. The title describes it to screen readers. */
export function svg(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect class="page" width="${width}" height="${height}"/>
${content}</svg>
`
}

export function text(x: number, y: number, content: string, anchor = 'start', cssClass = 'label'): string {
  return `<text class="${cssClass}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(content)}</text>\n`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
