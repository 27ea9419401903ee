// The part of a matrix that is shown: from which to which sample, for columns and rows.

class View {
  constructor(samples) {
    this.samples = samples;
    this.reset();
  }

  reset() {
    [this.x, this.y, this.span] = [0, 0, this.samples];
  }

  get isWhole() {
    return this.span === this.samples;
  }

  // The sample at a share of the side of the canvas.
  column(share) {
    return this.x + share * this.span;
  }

  row(share) {
    return this.y + share * this.span;
  }

  // Changes the span by a factor and leaves the sample under the given place where it is.
  zoom(factor, smallest, column, row) {
    const span = Math.min(this.samples, Math.max(smallest, this.span * factor));
    const keep = (start, sample) => sample - ((sample - start) / this.span) * span;
    [this.x, this.y, this.span] = [keep(this.x, column), keep(this.y, row), span];
    this.clamp();
  }

  pan(columns, rows) {
    this.x += columns;
    this.y += rows;
    this.clamp();
  }

  // Moves so that an interval of samples is inside.
  show(from, to, start) {
    if (to > start + this.span) return to - this.span;
    return from < start ? from : start;
  }

  clamp() {
    const most = this.samples - this.span;
    this.x = Math.min(most, Math.max(0, this.x));
    this.y = Math.min(most, Math.max(0, this.y));
  }
}
