//! The preconditioned conjugate gradient method, generic over the operator and the preconditioner.

/// A vector of the space on which an [`Operator`] acts.
pub trait Vector {
    /// ⟨self, other⟩, in double precision.
    fn dot(&self, other: &Self) -> f64;

    /// self ← other + factor · self.
    fn scale_and_add(&mut self, factor: f64, other: &Self);

    /// self ← self + factor · other.
    fn add_scaled(&mut self, factor: f64, other: &Self);

    /// self ← 0.
    fn clear(&mut self);
}

/// A symmetric positive definite operator L.
///
/// Only `apply` is required. An operator whose vectors have a special memory layout may override
/// `advance`, to do the same work in fewer passes over memory.
pub trait Operator {
    /// The vectors on which it acts.
    type Vector: Vector;
    /// Working memory that the operator and its preconditioner share.
    type Scratch;

    /// A vector of zeros.
    fn zeros(&self) -> Self::Vector;

    /// The working memory.
    fn scratch(&self) -> Self::Scratch;

    /// y ← Lx.
    fn apply(&self, x: &Self::Vector, y: &mut Self::Vector, scratch: &mut Self::Scratch);

    /// One step: p ← z + βp, q ← Lz + βq, x ← x + αp, r ← r − αq. Returns ‖r‖².
    ///
    /// Lz is the result of the last [`Preconditioner::correct`]. [`Step::owed`] states when x is
    /// updated.
    fn advance(&self, step: Step, v: &mut Vectors<Self::Vector>, _: &mut Self::Scratch) -> f64 {
        if let Some(owed) = step.owed {
            v.x.add_scaled(owed, &v.p);
        }
        v.p.scale_and_add(step.beta, &v.z);
        if let Some(image) = &v.image {
            v.q.scale_and_add(step.beta, image);
        }
        if step.owed.is_some() {
            v.x.add_scaled(step.alpha, &v.p);
        }
        v.r.add_scaled(-step.alpha, &v.q);
        v.r.dot(&v.r)
    }
}

/// A symmetric positive definite approximation of L⁻¹.
///
/// Only `apply` is required. A preconditioner that knows its operator may override `correct`, to
/// do the same work in fewer passes over memory.
pub trait Preconditioner<O: Operator> {
    /// z ← approximately L⁻¹r.
    fn apply(&self, r: &O::Vector, z: &mut O::Vector, scratch: &mut O::Scratch);

    /// Applies the preconditioner to r and then the operator to z, and returns both inner
    /// products. An override need not fill [`Vectors::image`] if the operator's `advance` does
    /// not read it.
    fn correct(
        &self,
        operator: &O,
        v: &mut Vectors<O::Vector>,
        scratch: &mut O::Scratch,
    ) -> Products {
        self.apply(&v.r, &mut v.z, scratch);
        let image = v.image.get_or_insert_with(|| operator.zeros());
        operator.apply(&v.z, image, scratch);
        Products { decrease: v.r.dot(&v.z), curvature: v.z.dot(image) }
    }
}

/// The vectors of an iteration.
#[derive(Clone, Debug)]
pub struct Vectors<V> {
    /// The solution, without a step that is [owed](Step::owed).
    pub x: V,
    /// The residual.
    pub r: V,
    /// The direction.
    pub p: V,
    /// L times the direction.
    pub q: V,
    /// The preconditioned residual.
    pub z: V,
    /// L times z; allocated only if no fused step makes it unnecessary.
    pub image: Option<V>,
}

/// The inner products that determine the next step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Products {
    /// ⟨r, z⟩.
    pub decrease: f64,
    /// ⟨z, Lz⟩.
    pub curvature: f64,
}

/// The coefficients of a step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Length of the step along the new direction.
    pub alpha: f64,
    /// Coefficient of the old direction in the new one.
    pub beta: f64,
    /// The length of the last step, along the old direction, that has not been added to x yet.
    /// The iteration does not read x, so x is updated only in every second step, which saves
    /// memory traffic: if a step is owed, both steps are added; otherwise none is.
    pub owed: Option<f64>,
}

/// The conjugate gradient method for Lx = b, in the form that computes both inner products in one
/// pass (Chronopoulos and Gear).
///
/// The caller gives the residual, makes [steps](Self::step) until it is small enough, and reads the
/// [correction](Self::correction). If an iteration in low precision ends too early, another one
/// starts from a residual that was computed in higher precision.
///
/// # Complexity
///
/// Each step applies the operator and the preconditioner once. Five vectors are stored.
///
/// # Determinism and ties
///
/// The iteration depends only on the inner products. If these do not depend on the number of
/// threads, neither does the result.
///
/// # Example
///
/// ```
/// use enclust_linalg::{ConjugateGradients, Operator, Preconditioner, Vector};
///
/// #[derive(Clone)]
/// struct Numbers(Vec<f64>);
/// impl Vector for Numbers {
///     fn dot(&self, other: &Self) -> f64 {
///         self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
///     }
///     fn scale_and_add(&mut self, factor: f64, other: &Self) {
///         self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = b + factor * *a);
///     }
///     fn add_scaled(&mut self, factor: f64, other: &Self) {
///         self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += factor * b);
///     }
///     fn clear(&mut self) {
///         self.0.fill(0.0);
///     }
/// }
///
/// /// The matrix [2 1; 1 3].
/// struct Small;
/// impl Operator for Small {
///     type Vector = Numbers;
///     type Scratch = ();
///     fn zeros(&self) -> Numbers {
///         Numbers(vec![0.0; 2])
///     }
///     fn scratch(&self) {}
///     fn apply(&self, x: &Numbers, y: &mut Numbers, _: &mut ()) {
///         y.0 = vec![2.0 * x.0[0] + x.0[1], x.0[0] + 3.0 * x.0[1]];
///     }
/// }
///
/// struct Diagonal;
/// impl Preconditioner<Small> for Diagonal {
///     fn apply(&self, r: &Numbers, z: &mut Numbers, _: &mut ()) {
///         z.0 = vec![r.0[0] / 2.0, r.0[1] / 3.0];
///     }
/// }
///
/// let b = Numbers(vec![3.0, 4.0]); // the residual of x = 0
/// let mut iteration = ConjugateGradients::new(Small, Diagonal, b);
/// while iteration.norm() > 1e-12 && iteration.step() {}
/// let mut x = iteration.correction().0.clone();
/// let (_, owed, p) = iteration.correction();
/// x.add_scaled(owed, p);
/// assert!((x.0[0] - 1.0).abs() < 1e-12 && (x.0[1] - 1.0).abs() < 1e-12);
/// ```
///
/// # Reference
///
/// A. Chronopoulos, C. Gear, "s-step iterative methods for symmetric linear systems", J. Comput.
/// Appl. Math. 1989.
pub struct ConjugateGradients<O: Operator, P> {
    operator: O,
    preconditioner: P,
    vectors: Vectors<O::Vector>,
    scratch: O::Scratch,
    last: Option<Last>,
    owed: Option<f64>,
    norm: f64,
}

/// The data of the last step that the next step needs.
#[derive(Clone, Copy)]
struct Last {
    alpha: f64,
    decrease: f64,
}

impl<O: Operator, P: Preconditioner<O>> ConjugateGradients<O, P> {
    /// An iteration with x = 0 and this residual.
    pub fn new(operator: O, preconditioner: P, r: O::Vector) -> Self {
        let zeros = || operator.zeros();
        let norm = r.dot(&r).sqrt();
        let vectors = Vectors { x: zeros(), r, p: zeros(), q: zeros(), z: zeros(), image: None };
        let scratch = operator.scratch();
        let (last, owed) = (None, None);
        ConjugateGradients { operator, preconditioner, vectors, scratch, last, owed, norm }
    }

    /// The recursively updated residual.
    pub fn residual(&self) -> &O::Vector {
        &self.vectors.r
    }

    /// ‖r‖ of the recursively updated residual. Rounding errors make the true residual larger.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// One iteration; false if there is nothing left to correct.
    pub fn step(&mut self) -> bool {
        let (operator, scratch) = (&self.operator, &mut self.scratch);
        let products = self.preconditioner.correct(operator, &mut self.vectors, scratch);
        let Some((alpha, beta)) = lengths(self.last, products) else { return false };
        let step = Step { alpha, beta, owed: self.owed };
        self.norm = operator.advance(step, &mut self.vectors, scratch).sqrt();
        self.owed = if self.owed.is_some() { None } else { Some(alpha) };
        self.last = Some(Last { alpha, decrease: products.decrease });
        true
    }

    /// x, and the step along p that has not been added to it: x + owed · p is the current solution.
    pub fn correction(&self) -> (&O::Vector, f64, &O::Vector) {
        (&self.vectors.x, self.owed.unwrap_or(0.0), &self.vectors.p)
    }
}

/// α and β of the next step; `None` if there is nothing left to correct.
fn lengths(last: Option<Last>, Products { decrease, curvature }: Products) -> Option<(f64, f64)> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if !positive(decrease) || !positive(curvature) {
        return None;
    }
    let (alpha, beta) = last.map_or((decrease / curvature, 0.0), |last| {
        let beta = decrease / last.decrease;
        (decrease / (curvature - beta * decrease / last.alpha), beta)
    });
    // Conjugacy is lost: restart with steepest descent.
    Some(if positive(alpha) { (alpha, beta) } else { (decrease / curvature, 0.0) })
}
