//! The trait that all parts implement, and forwarding through pointers.

use std::fmt::Debug;
use std::sync::Arc;

use crate::compose::params::Parameters;
use crate::error::Result;

/// A part of a run. It has a name, is immutable and is shared between threads.
///
/// Each stage has a trait that extends this one and is implemented for `&T`, `Box<T>` and
/// `Arc<T>`, so a part can be owned, shared or boxed behind `dyn`. State that changes during a
/// run is kept in objects made for that run, never in the part.
///
/// [`part!`](crate::part) implements this trait for a struct of parameters.
pub trait Component: Debug + Send + Sync {
    /// The name of the part in messages, files and on the command line.
    fn name(&self) -> &str;

    /// Checks the parameters. A pipeline calls it when it is composed.
    ///
    /// # Errors
    ///
    /// [`Error::Param`](crate::Error::Param) if a parameter is out of range.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// A part that states its name, a one-line summary and its parameters, which is all that a
/// registry needs. [`part!`](crate::part) implements this trait.
pub trait Described: Component + Parameters {
    /// The name of the part.
    const NAME: &'static str;
    /// A one-line summary of the part.
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
/// method that is not listed would use its default behind a pointer without any warning from the
/// compiler; a clippy lint rejects that.
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
