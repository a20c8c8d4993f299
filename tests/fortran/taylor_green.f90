! A pressure projection: a velocity on the faces of cells, of which the gradient of some potential is taken away again.
!
! The velocity is Taylor and Green's vortex and that gradient. With the 7-point stencil ('fd2') the projection is exact: what
! is left has no divergence, and is the vortex. The array has ghost layers, which no call copies.
! project() does all in one call.
program taylor_green
    use, intrinsic :: iso_c_binding, only: c_loc
    use, intrinsic :: iso_fortran_env, only: real64
    use psg
    implicit none
    integer, parameter :: n = 24
    real(real64), parameter :: pi = acos(-1.0_real64), h = 2 * pi / n
    real(real64), target :: w(n, n, n, 3), u(n, n, n)
    real(real64) :: v(n, n, n, 3), vortex(n, n, n, 3), potential(n, n, n), p(0:n + 1, 0:n + 1, 0:n + 1), before, left
    type(psg_grid) :: grid
    type(psg_options) :: options
    type(psg_plan) :: plan
    integer :: i, j, k, d

    do k = 1, n
        do j = 1, n
            do i = 1, n ! the faces of a cell are half a step above its middle
                vortex(i, j, k, 1) = sin((i + 0.5_real64) * h) * cos(j * h) * cos(k * h)
                vortex(i, j, k, 2) = -cos(i * h) * sin((j + 0.5_real64) * h) * cos(k * h)
                vortex(i, j, k, 3) = 0
                potential(i, j, k) = exp(sin(i * h) + cos(2 * j * h)) * sin(3 * k * h)
            end do
        end do
    end do
    do d = 1, 3
        v(:, :, :, d) = vortex(:, :, :, d) + (cshift(potential, 1, d) - potential) / h
    end do
    before = maxval(abs(divergence(v)))

    call psg_grid_init(grid, [n, n, n], [2 * pi, 2 * pi, 2 * pi])
    call psg_options_init(options)
    call psg_options_set(options, 'symbol', 'fd2')
    call plan%create(grid, options)
    p(1:n, 1:n, 1:n) = divergence(v)
    call plan%solve(p(1:n, 1:n, 1:n), p(1:n, 1:n, 1:n)) ! in place
    w = v
    call plan%project([(c_loc(w(1, 1, 1, d)), d=1, 3)])
    if (.not. all(abs(w - vortex) <= 1e-12_real64)) error stop 2
    w = v
    call plan%project([(c_loc(w(1, 1, 1, d)), d=1, 3)], u=c_loc(u), factor=10.0_real64)
    if (.not. all(abs(w - vortex) <= 1e-12_real64)) error stop 3
    if (.not. all(abs(u - 10 * p(1:n, 1:n, 1:n)) <= 1e-11_real64)) error stop 4
    call plan%destroy()
    do d = 1, 3
        v(:, :, :, d) = v(:, :, :, d) - (cshift(p(1:n, 1:n, 1:n), 1, d) - p(1:n, 1:n, 1:n)) / h
    end do

    left = maxval(abs(divergence(v)))
    print '(a,es8.1,a,es8.1,a,es8.1)', 'divergence', before, ' before, ', left, ' after; from the vortex', maxval(abs(v - vortex))
    if (.not. (left <= 1e-12_real64 * before .and. all(abs(v - vortex) <= 1e-12_real64))) error stop 1

contains

    function divergence(w) result(sum)
        real(real64), intent(in) :: w(n, n, n, 3)
        real(real64) :: sum(n, n, n)
        integer :: axis
        sum = 0
        do axis = 1, 3
            sum = sum + (w(:, :, :, axis) - cshift(w(:, :, :, axis), -1, axis)) / h
        end do
    end function divergence

end program taylor_green
