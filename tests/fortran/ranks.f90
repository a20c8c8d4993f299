! Under mpirun: communicators of module mpi, an integer, and of module mpi_f08 give the answer of one process. What one process
! refuses, all refuse: the others do not wait for it.
program ranks
    use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: error_unit, real32, real64
    use mpi_f08
    use psg
    implicit none
    integer :: level

    call MPI_Init_thread(MPI_THREAD_MULTIPLE, level)
    call together(MPI_COMM_WORLD, 6, 5, 7, .false.)
    call together(MPI_COMM_WORLD, 6, 5, 7, .true.)
    call together(MPI_COMM_WORLD, 4, 5, 2, .false.) ! three processes: one has no plane
    call together(MPI_COMM_SELF, 4, 6, 3, .false.)
    call refusals(MPI_COMM_WORLD)
    call MPI_Finalize()
    print '(a)', 'ok'

contains

    !> @param boxes  each process has rows along y of all planes, the last one those that are left
    subroutine together(comm, nx, ny, nz, boxes)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: nx, ny, nz
        logical, intent(in) :: boxes
        real(real64), parameter :: pi = acos(-1.0_real64)
        real(real64), allocatable, target :: f(:, :, :), u(:, :, :)
        complex(real64), allocatable, target :: hat(:, :, :)
        logical :: is_complex
        type(psg_grid) :: grid
        type(psg_plan) :: plan
        type(psg_statistics) :: found
        integer :: lo(3), n(3), j, k, processes, rank, planes

        call MPI_Comm_size(comm, processes)
        call MPI_Comm_rank(comm, rank)
        call psg_grid_init(grid, [nx, ny, nz], [1.0_real64, 1.0_real64, 1.0_real64])
        call plan%create(grid, comm=comm%mpi_val)
        call plan%local_box(lo, n)
        call MPI_Allreduce(n(3), planes, 1, MPI_INTEGER, MPI_SUM, comm)
        if (planes /= nz .or. any(n(:2) /= [nx, ny])) call stop_all('the planes')
        if (boxes) then
            lo = [0, rank * ny / processes, 0]
            call plan%set_box(lo, [nx, (rank + 1) * ny / processes - lo(2), nz])
            call plan%local_box(lo, n)
            if (any(n /= [nx, (rank + 1) * ny / processes - rank * ny / processes, nz])) call stop_all('the boxes')
        end if
        allocate (f(n(1), n(2), n(3)), u(n(1), n(2), n(3)))
        do k = 1, n(3)
            do j = 1, n(2)
                f(:, j, k) = cos(2 * pi * (real(lo(2) + j, real64) / ny + real(lo(3) + k, real64) / nz)) + 2
            end do
        end do
        call plan%solve(f, u)
        if (.not. all(abs(u + (f - 2) / (8 * pi ** 2)) <= 1e-15_real64)) call stop_all('u')
        if (.not. boxes) then ! modes stay where they are
            call plan%local_modes(lo, n, is_complex)
            allocate (hat(n(1), n(2), n(3)))
            call plan%solve(c_loc(f), c_null_ptr, terms=psg_terms(u_modes=c_loc(hat)))
            hat = -8 * pi ** 2 * hat
            u = 0
            call plan%solve(c_null_ptr, c_loc(u), terms=psg_terms(f_modes=c_loc(hat)))
            if (.not. all(abs(u + (f - 2) / (8 * pi ** 2)) <= 1e-15_real64)) call stop_all('modes')
            call plan%solve(f, u)
        end if
        call plan%statistics(found)
        if (found%ranks /= processes .or. .not. abs(found%mean - 2) <= 1e-14_real64) call stop_all('statistics')
        call plan%destroy()
    end subroutine together

    !> The last process has something wrong.
    subroutine refusals(comm)
        type(MPI_Comm), intent(in) :: comm
        real(real64), allocatable, target :: f(:, :, :), u(:, :, :)
        real(real32), allocatable :: single(:, :, :)
        type(c_ptr) :: given
        type(psg_options) :: options
        type(psg_grid) :: grid
        type(psg_plan) :: plan
        integer :: lo(3), n(3), processes, rank, status, kind
        logical :: odd

        call MPI_Comm_size(comm, processes)
        call MPI_Comm_rank(comm, rank)
        odd = rank == processes - 1
        call psg_options_init(options)
        call psg_grid_init(grid, [6, merge(0, 5, odd), 7], [1.0_real64, 1.0_real64, 1.0_real64])
        call plan%create(grid, comm=comm%mpi_val, status=status)
        call refused(status, processes, 'ny = 0')
        call psg_grid_init(grid, [6, 5, 7], [1.0_real64, 1.0_real64, 1.0_real64])
        options%lambda = merge(-1, 0, odd)
        call plan%create(grid, options, comm%mpi_val, status)
        call refused(status, processes, 'lambda')
        call plan%create(grid, comm=comm%mpi_val)
        call plan%local_box(lo, n)
        allocate (f(n(1), n(2), n(3)), u(n(1), n(2), n(3)), single(n(1), n(2), n(3)))
        f = 0
        u = 0
        single = 0
        given = c_loc(f)
        if (odd) given = c_null_ptr
        do kind = 1, 7
            if (.not. odd .and. kind <= 4) then
                call plan%solve(f, u, status=status)
            else if (kind == 1) then
                call plan%solve(single, single, status=status)
            else if (kind == 2) then
                call plan%solve(f(:, 2:, :), u(:, 2:, :), status=status)
            else if (kind == 3) then
                call plan%solve(f, u(2:, :, :), status=status)
            else if (kind == 4) then
                call plan%solve(f(:, n(2):1:-1, :), u, status=status)
            else if (kind == 5) then
                call plan%solve(given, c_loc(u), status=status)
            else if (kind == 6) then
                call plan%submit(given, c_loc(u), status=status)
            else
                call plan%solve_many(merge(0, 1, odd), c_loc(f), c_loc(u), status=status)
            end if
            call refused(status, processes, 'arrays')
            call plan%solve(f, u)
        end do
        call plan%destroy()
    end subroutine refusals

    subroutine refused(status, processes, words)
        integer, intent(in) :: status, processes
        character(*), intent(in) :: words
        character(:), allocatable :: said
        character(12) :: name
        write (name, '(a,i0,a)') 'process ', processes - 1, ':'
        said = psg_message()
        if (status == PSG_OK .or. (processes > 1 .and. index(said, trim(name)) /= 1)) call stop_all(words // ' ' // said)
    end subroutine refused

    subroutine stop_all(words)
        character(*), intent(in) :: words
        write (error_unit, '(2a)') words, ' of several processes'
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine stop_all

end program ranks
