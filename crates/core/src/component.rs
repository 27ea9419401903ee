//! What every pluggable part has in common, and forwarding through pointers.

use std::fmt::Debug;
use std::sync::Arc;

/// A pluggable part: named, immutable, shareable between threads.
///
/// Each stage trait builds on this one and is forwarded for `&T`, `Box<T>` and
/// `Arc<T>`, so a part can be owned, shared or boxed behind `dyn` wherever it is
/// composed. What varies during a run lives in objects made per run, never in
/// the part.
pub trait Component: Debug + Send + Sync {
    /// The name it goes by in messages, files and on the command line.
    fn name(&self) -> &str;
}

impl<T: Component + ?Sized> Component for &T {
    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<T: Component + ?Sized> Component for Box<T> {
    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<T: Component + ?Sized> Component for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }
}

/// Implements a stage trait for `&T`, `Box<T>` and `Arc<T>` by forwarding each
/// listed method.
macro_rules! forward {
    ($trait:ident $(<$s:ident>)? { $($methods:tt)* }) => {
        $crate::component::forward!(@for &T, $trait $(<$s>)? { $($methods)* });
        $crate::component::forward!(@for Box<T>, $trait $(<$s>)? { $($methods)* });
        $crate::component::forward!(@for std::sync::Arc<T>, $trait $(<$s>)? { $($methods)* });
    };
    (@for $ptr:ty, $trait:ident $(<$s:ident>)? {
        $( fn $method:ident(&self $(, $arg:ident : $type:ty)* $(,)?) $(-> $ret:ty)?; )*
    }) => {
        impl<$($s: $crate::Real,)? T: $trait $(<$s>)? + ?Sized> $trait $(<$s>)? for $ptr {
            $( fn $method(&self $(, $arg: $type)*) $(-> $ret)? {
                (**self).$method($($arg),*)
            } )*
        }
    };
}
pub(crate) use forward;
