//! What every part has in common, and forwarding through pointers.

use std::fmt::Debug;
use std::sync::Arc;

use crate::compose::params::Parameters;
use crate::error::Result;

/// A part of a run: named, immutable, shared between threads.
///
/// Each stage has a trait that builds on this one and is forwarded for `&T`, `Box<T>` and
/// `Arc<T>`, so a part can be owned, shared or boxed behind `dyn` wherever it is composed. What
/// varies during a run lives in objects made for that run, never in the part.
///
/// [`part!`](crate::part) implements it for a struct of parameters.
pub trait Component: Debug + Send + Sync {
    /// The name of the part in messages, files and on the command line.
    fn name(&self) -> &str;

    /// Checks the parameters. A pipeline calls this when it is composed.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a parameter out of range.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// A part that states its name, a line about it and its parameters in one place, so that a
/// registry needs nothing else. Implemented by [`part!`](crate::part).
pub trait Described: Component + Parameters {
    /// The name of the part.
    const NAME: &'static str;
    /// What the part is, in a line.
    const SUMMARY: &'static str;
}

macro_rules! forward_component {
    ($($ptr:ty),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        impl<T: Component + ?Sized> Component for $ptr {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn check(&self) -> Result<()> {
                (**self).check()
            }
        }
    )*};
}
forward_component!(&T, Box<T>, Arc<T>);

/// Implements a stage trait for `&T`, `Box<T>` and `Arc<T>` by forwarding each listed method. A
/// method that is left out would silently have its default behind a pointer; clippy refuses that.
macro_rules! forward {
    ($trait:ident $(<$s:ident>)? { $($methods:tt)* }) => {
        $crate::stages::component::forward!(@for &T, $trait $(<$s>)? { $($methods)* });
        $crate::stages::component::forward!(@for Box<T>, $trait $(<$s>)? { $($methods)* });
        $crate::stages::component::forward!(@for std::sync::Arc<T>, $trait $(<$s>)? { $($methods)* });
    };
    (@for $ptr:ty, $trait:ident $(<$s:ident>)? {
        $( fn $method:ident(&self $(, $arg:ident : $type:ty)* $(,)?) $(-> $ret:ty)?; )*
    }) => {
        #[deny(clippy::missing_trait_methods)]
        impl<$($s: $crate::Real,)? T: $trait $(<$s>)? + ?Sized> $trait $(<$s>)? for $ptr {
            $( fn $method(&self $(, $arg: $type)*) $(-> $ret)? {
                (**self).$method($($arg),*)
            } )*
        }
    };
}
pub(crate) use forward;
